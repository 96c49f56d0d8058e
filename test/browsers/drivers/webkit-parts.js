/** What both ways of running WebKitGTK need: its programs and an X server of its own. */
import fs from 'node:fs';
import { findProgram, Program } from './processes.js';

/** WebKitWebDriver, or null where it or Xvfb is not installed. */
export function webDriverProgram() {
  return findProgram('Xvfb') && findProgram(process.env.WEBKIT_DRIVER, 'WebKitWebDriver');
}

/** MiniBrowser lies where only the driver knows it. */
export function miniBrowserProgram() {
  const driver = webDriverProgram();
  return process.env.MINIBROWSER ?? (driver && /\/[\w.+/-]+\/MiniBrowser/.exec(fs.readFileSync(driver, 'latin1'))?.[0]) ?? null;
}

export async function startScreen() {
  const screen = new Program(findProgram('Xvfb') ?? '', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [, display] = await screen.printed(/^(\d+)\n/, 10000);
  return { screen, display: `:${display}` };
}

/**
 * @param {string} display
 * @param {string} profile a folder for all that the browser keeps
 */
export function webKitEnvironment(display, profile) {
  return {
    DISPLAY: display, XDG_RUNTIME_DIR: profile, XDG_CACHE_HOME: profile, XDG_DATA_HOME: profile, XDG_CONFIG_HOME: profile, HOME: profile,
    WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1', GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1', GSETTINGS_BACKEND: 'memory',
  };
}
