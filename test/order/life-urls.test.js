/** Blob URLs that show whether a context has ended: glue/platform/life-urls.js. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { bundleParts } from './realms.js';

const entry = fileURLToPath(new URL('../../glue/platform/life-urls.js', import.meta.url));
const text = await bundleParts(entry, 'export const { fetch, setTimeout, BroadcastChannel, Event } = realm;');
const load = new Function('realm', `${text}; return parts;`);

describe('life URLs', () => {
  /** The URLs that can be fetched. @type {Set<string>} */
  let urls;
  let created = 0;
  /** While a question is on its way. */
  let onFetch = () => {};

  const fetch = async (/** @type {string} */ url) => {
    const isThere = urls.has(url);
    onFetch();
    if (!isThere) throw new TypeError('Failed to fetch');
  };

  const create = () => load({ fetch }).createLifeUrls({
    document: {},
    Blob,
    URL: {
      createObjectURL() {
        const url = `blob:https://example.org/${String(++created).padStart(8, '0')}-0000-0000-0000-000000000000`;
        urls.add(url);
        return url;
      },
      revokeObjectURL: (/** @type {string} */ url) => urls.delete(url),
    },
  });

  beforeEach(() => {
    urls = new Set();
    onFetch = () => {};
  });

  it('tell that a context lives, and that it has ended', async () => {
    const [holder, asker] = [create(), create()];
    const [its, own] = [holder.create(), asker.create()];
    assert.deepEqual([await asker.isLiving(its), await asker.hasEnded(its, own)], [true, false]);
    holder.revoke();
    assert.deepEqual([await asker.isLiving(its), await asker.hasEnded(its, own)], [false, true]);
  });

  for (const isMadeMeanwhile of [false, true]) {
    it(`tell so after the browser has lost them all, and new ones were made ${isMadeMeanwhile ? 'meanwhile' : 'since'}`, async () => {
      const [holder, asker] = [create(), create()];
      const [its, own] = [holder.create(), asker.create()];
      urls.clear();
      let /** @type {string[]} */ later = [];
      const comeBack = () => { later = [holder.create(), asker.create()]; };
      // The third question is whether the latest own one can be fetched.
      let asked = 0;
      if (isMadeMeanwhile) onFetch = () => void (++asked === 3 && comeBack());
      assert.equal(await asker.hasEnded(its, own), false);
      if (!isMadeMeanwhile) comeBack();
      assert.equal(await asker.hasEnded(later[0], later[1]), false);
      holder.revoke();
      assert.equal(await asker.hasEnded(later[0], later[1]), true);
    });
  }

  it('are asked for no more if not even the own one can be fetched', async () => {
    const [holder, asker] = [create(), create()];
    const [its, own] = [holder.create(), asker.create()];
    urls.clear();
    await asker.hasEnded(its, own);
    let asked = 0;
    onFetch = () => { asked++; };
    assert.deepEqual([await asker.hasEnded(its, own), await asker.isLiving(its), asked], [false, false, 0]);
  });

  it('are asked for no more, too, where it is asked whether somebody lives', async () => {
    const [holder, asker] = [create(), create()];
    const its = holder.create();
    asker.create();
    urls.clear();
    assert.equal(await asker.isLiving(its), false);
    let asked = 0;
    onFetch = () => { asked++; };
    assert.deepEqual([await asker.isLiving(its), asked], [false, 0]);
  });

  it('tell of no end where another one did not answer for a moment', async () => {
    const [holder, asker] = [create(), create()];
    const [its, own] = [holder.create(), asker.create()];
    const all = [...urls];
    urls.clear();
    onFetch = () => { urls = new Set(all); };
    assert.deepEqual([await asker.hasEnded(its, own), await asker.isLiving(its)], [false, true]);
  });

  it('are not asked for by what is not the last part of one', async () => {
    const asker = create();
    const own = asker.create();
    let asked = 0;
    onFetch = () => { asked++; };
    for (const id of ['', 'a/b', `${own}0`]) {
      assert.deepEqual([await asker.isLiving(id), await asker.hasEnded(id, own), await asker.hasEnded(own, id)], [false, false, false]);
    }
    assert.equal(asked, 0);
  });

  it('are revoked once each', () => {
    let revoked = 0;
    const revoke = urls.delete;
    urls.delete = (url) => {
      revoked++;
      return revoke.call(urls, url);
    };
    const holder = create();
    for (let life = 0; life < 3; life++) {
      holder.create();
      holder.revoke();
    }
    assert.deepEqual([revoked, urls.size], [3, 0]);
  });

  for (const [title, createObjectURL] of Object.entries({
    'cannot be made': () => { throw new TypeError('not here'); },
    'have another form': () => 'blob:https://example.org/one',
  })) {
    it(`are none where they ${title}`, async () => {
      const own = load({ fetch }).createLifeUrls({ document: {}, Blob, URL: { createObjectURL, revokeObjectURL() {} } });
      assert.equal(own.create(), '');
      const its = create().create();
      assert.deepEqual([await own.isLiving(its), await own.hasEnded(its, '')], [false, false]);
    });
  }
});
