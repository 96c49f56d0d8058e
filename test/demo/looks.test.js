/** How the demo looks in a real Chromium, and how accessible it is. SCREENSHOTS=1 also writes demo/screenshots/. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { sleep } from '../browsers/drivers/wait.js';
import { COMPANY, useDemo } from './scene.js';

const SCREENSHOTS = new URL('../../demo/screenshots/', import.meta.url);

describe('the looks of the demo', function () {
  this.timeout(180000);
  this.slow(15000);
  const demo = useDemo();

  it('fits a phone of 360 pixels, with and without its controls', async () => {
    const page = await demo.open('', { width: 360, height: 740 });
    await page.shows(...COMPANY);
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(await width(), 360);
    await page.click('#controls');
    await page.says('#log', /→/);
    assert.equal(await width(), 360);
    const small = await page.evaluate(() => Array.from(document.querySelectorAll('button'), (button) => button.getBoundingClientRect())
      .filter(({ width, height }) => width && height < 28 || width && width < 28).length);
    assert.equal(small, 0, 'buttons too small for a finger');
    assert.deepEqual(page.complaints, []);
  });

  it('names every control, can be worked with the keyboard, and says what happens', async () => {
    const page = await demo.openCalm();
    const { nodes } = await page.tab.socket.send('Accessibility.getFullAXTree');
    const controls = nodes.filter(({ ignored, role }) => !ignored && /^(button|radio|link|textbox)$/.test(role?.value));
    assert.ok(controls.length > 30, `${controls.length} controls`);
    assert.deepEqual(controls.filter(({ name }) => !name?.value).map(({ role }) => role.value), []);
    const names = controls.map(({ name }) => name.value);
    assert.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), [], 'names that say the same of two controls');
    const headings = nodes.filter(({ ignored, role }) => !ignored && role?.value === 'heading').map(({ name }) => name.value);
    for (const heading of [...COMPANY, 'Queues', 'Hand-overs', 'inspect()']) assert.ok(headings.includes(heading), heading);

    const key = async (name, code) => {
      for (const type of ['keyDown', 'keyUp']) {
        await page.tab.socket.send('Input.dispatchKeyEvent', { type, key: name, code: name, windowsVirtualKeyCode: code,
          ...(name === 'Enter' && type === 'keyDown' ? { text: '\r' } : {}) });
      }
    };
    await page.evaluate(() => document.querySelector('input[name=hold]:checked').focus());
    await key('Tab', 9);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Request printer, exclusive, for Tab 1');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
    await key('Enter', 13);
    await page.state('Tab 1', 'holds printer');
    await page.says('#status', /Tab 1 holds printer/);
    assert.equal(await page.evaluate(() => document.getElementById('live').getAttribute('aria-live')), 'polite');
  });

  it('does not jump while it plays', async () => {
    const page = await demo.open();
    const [shift, moved] = await page.evaluate(async () => {
      let sum = 0;
      const nodes = [];
      const add = (list) => list.getEntries().forEach(({ value, sources }) => {
        // Bars are placed anew as time goes on; that is their purpose.
        const others = sources.filter(({ node }) => !node?.parentElement?.closest('.picture, .backdrop, #log'));
        if (others.length) sum += value;
        others.forEach(({ node }) => nodes.push(node && (node.outerHTML || node.textContent)));
      });
      new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
      await new Promise((resolve) => setTimeout(resolve, 6000));
      return [sum, nodes];
    });
    assert.ok(shift < 0.001, `layout shifts add up to ${shift}: ${moved.join('\n')}`);
  });

  it('moves by whole seconds if less motion is asked for', async () => {
    const page = await demo.open('', { media: { 'prefers-reduced-motion': 'reduce' } });
    await page.shows(...COMPANY);
    await page.says('#log', /→/);
    const [shifts, seconds] = await page.evaluate(async () => {
      const seen = new Set();
      const began = performance.now();
      while (performance.now() - began < 2500) {
        seen.add(document.getElementById('lines').style.transform);
        await new Promise(requestAnimationFrame);
      }
      return [Array.from(seen), (performance.now() - began) / 1000];
    });
    assert.ok(shifts.length >= 2 && shifts.length <= seconds + 2.5, `${shifts.length} positions in ${seconds} s`);
  });

  const pictures = {
    'desktop.webp': { width: 1200, height: 1000, media: { 'prefers-color-scheme': 'light' } },
    'desktop-dark.webp': { width: 1200, height: 1000, media: { 'prefers-color-scheme': 'dark' } },
    'phone.webp': { width: 360, height: 760, media: { 'prefers-color-scheme': 'light' } },
    'phone-dark.webp': { width: 360, height: 760, media: { 'prefers-color-scheme': 'dark' } },
  };
  for (const name of process.env.SCREENSHOTS ? Object.keys(pictures) : []) {
    it(`has its picture taken: ${name}`, async () => {
      const page = await demo.open('', pictures[name]);
      await page.shows(...COMPANY);
      await page.tab.socket.send('Emulation.setScrollbarsHidden', { hidden: true });
      await sleep(18300);
      const picture = await page.screenshot();
      assert.ok(picture.length < 90000, `${picture.length} bytes`);
      fs.mkdirSync(SCREENSHOTS, { recursive: true });
      fs.writeFileSync(new URL(name, SCREENSHOTS), picture);
    });
  }
});
