/** Small helpers for the page's elements. */

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `class`, `on…` listeners and plain attributes; false and undefined are left out
 * @param {...(Node | string)} children
 * @returns {any}
 */
export const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
};

/** Changes the document only if the text differs. @param {Element} target @param {string} text */
export const setText = (target, text) => {
  if (target.textContent !== text) target.textContent = text;
};

/** @param {Element} target @param {...(Node | string)} children */
export const setChildren = (target, ...children) => {
  target.textContent = '';
  target.append(...children);
};

/** Marks a button as unusable or usable. An unusable one keeps the focus. @param {Element} button @param {boolean} usable */
export const setUsable = (button, usable) => {
  const value = usable ? 'false' : 'true';
  if (button.getAttribute('aria-disabled') !== value) button.setAttribute('aria-disabled', value);
};

const SVG = 'http://www.w3.org/2000/svg';

/** Outlines on a field of 16 by 16. @type {Record<string, string>} */
const SHAPES = {
  tab: 'M1.5 3.5h13v9.5h-13zM1.5 6.2h13M6 3.5v2.7',
  frame: 'M1.5 2.5h13v11h-13zM4.5 6.5h7v4.5h-7z',
  worker: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2' +
    'M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  shared: 'M5.5 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10.5 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
};

/** @param {string} kind */
export const icon = (kind) => {
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('viewBox', '0 0 16 16');
  picture.setAttribute('class', 'icon');
  picture.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', SHAPES[kind]);
  picture.append(shape);
  return picture;
};
