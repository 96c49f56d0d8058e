import { defineMembers } from './platform-object.js';

/**
 * A blank frame (about:blank) runs no script, so it cannot install locks itself. Native locks would exist there. So install them when a
 * script reads the frame's contentWindow.
 *
 * @param {import('./environment.js').Realm} global
 * @param {(window: import('./environment.js').Realm) => void} installIn
 */
export const installInBlankFrames = ({ HTMLIFrameElement }, installIn) => {
  if (!HTMLIFrameElement) return;
  const { prototype } = HTMLIFrameElement;
  const { get, configurable } = /** @type {{get: () => Window & typeof globalThis, configurable?: boolean}} */ (
    Object.getOwnPropertyDescriptor(prototype, 'contentWindow') || {});
  // A page may have frozen the property, and a test environment may lack it.
  if (!configurable) return;
  defineMembers(prototype, {
    get contentWindow() {
      const window = get.call(this);
      try {
        if (window.location.href.startsWith('about:blank')) installIn(window);
      } catch {
        // The frame is of another origin, or has no window.
      }
      return window;
    },
  });
};
