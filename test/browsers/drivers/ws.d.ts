declare module 'ws' {
  const WebSocket: any;
  export default WebSocket;
  export const WebSocketServer: any;
}
