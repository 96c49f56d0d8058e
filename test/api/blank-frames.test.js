import assert from 'node:assert/strict';
import { installInBlankFrames } from '../../glue/api/blank-frames.js';

describe('installInBlankFrames()', () => {
  /** @param {PropertyDescriptor} [descriptor] of contentWindow */
  const prototypeWith = (descriptor) => {
    class HTMLIFrameElement {}
    if (descriptor) Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', descriptor);
    return HTMLIFrameElement.prototype;
  };
  const blank = { location: { href: 'about:blank' } };

  for (const window of [blank, { location: { href: 'about:blank#part' } }, { location: { href: 'about:blank?query' } }]) {
    it(`installs when a script reads contentWindow of ${window.location.href}`, () => {
      const prototype = prototypeWith({ get: () => window, configurable: true });
      const seen = [];
      installInBlankFrames({ HTMLIFrameElement: prototype.constructor }, (each) => seen.push(each));
      assert.equal(Object.create(prototype).contentWindow, window);
      assert.deepEqual(seen, [window]);
    });
  }

  it('installs in no frame that shows a page, and in none that cannot be read', () => {
    const page = { location: { href: 'https://example.org/' } };
    const foreign = { get location() {
      throw new DOMException('Blocked', 'SecurityError');
    } };
    for (const window of [page, foreign, null]) {
      const prototype = prototypeWith({ get: () => window, configurable: true });
      let installed = false;
      installInBlankFrames({ HTMLIFrameElement: prototype.constructor }, () => (installed = true));
      assert.equal(Object.create(prototype).contentWindow, window);
      assert.equal(installed, false);
    }
  });

  it('does nothing if there are no frames, as in workers', () => {
    installInBlankFrames({}, () => assert.fail());
  });

  const strange = {
    'is missing': prototypeWith(),
    'is frozen': Object.freeze(prototypeWith({ get: () => blank, configurable: true })),
  };
  for (const [title, prototype] of Object.entries(strange)) {
    it(`leaves contentWindow alone if it ${title}`, () => {
      const before = Object.getOwnPropertyDescriptor(prototype, 'contentWindow');
      installInBlankFrames({ HTMLIFrameElement: prototype.constructor }, () => assert.fail());
      assert.deepEqual(Object.getOwnPropertyDescriptor(prototype, 'contentWindow'), before);
    });
  }
});
