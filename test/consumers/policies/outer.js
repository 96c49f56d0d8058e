self.frame = (sandbox) => new Promise((resolve) => {
  self.onmessage = ({ data }) => resolve(data);
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', sandbox);
  frame.src = 'wasm.html';
  document.documentElement.append(frame);
});
