/** The packed tarball, and empty projects that have it installed. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURES = path.join(ROOT, 'test/consumers');
const execute = promisify(execFile);

/**
 * @param {string} program
 * @param {string[]} parameters
 * @param {string} folder
 * @param {number} [timeout] in milliseconds
 */
export const run = async (program, parameters, folder, timeout = 60000) => {
  const { stdout, stderr } = await execute(program, parameters, { cwd: folder, timeout, maxBuffer: 1 << 26 });
  return { stdout, stderr };
};

/** A folder of its own for all that one test file makes. */
export class Workshop {
  constructor() {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'lockkeeper-consumers-')));
    this.tarball = '';
  }

  async pack() {
    const { stdout } = await run('npm', ['pack', ROOT, '--json', '--ignore-scripts', '--pack-destination', this.folder], this.folder);
    const packed = JSON.parse(stdout);
    const [{ filename, files }] = Array.isArray(packed) ? packed : Object.values(packed);
    this.tarball = path.join(this.folder, filename);
    this.files = files.map((/** @type {{path: string}} */ file) => file.path);
    return this;
  }

  /** Installs the tarball as npm does; the projects get copies of what it made. */
  async install() {
    await this.pack();
    this.installed = path.join(this.folder, 'installed');
    fs.mkdirSync(this.installed);
    fs.writeFileSync(path.join(this.installed, 'package.json'), '{"private": true}');
    await run('npm', ['install', this.tarball, '--no-audit', '--no-fund', '--ignore-scripts', '--offline'], this.installed);
    return this;
  }

  /**
   * A project: the files of a fixture, the installed package, and links to packages that this checkout has.
   * @param {string} fixture a folder beside this file
   * @param {string[]} [links]
   * @param {string} [name] of the project, if not the fixture's
   * @returns {string} its folder
   */
  project(fixture, links = [], name = fixture) {
    const folder = path.join(this.folder, name);
    fs.cpSync(path.join(FIXTURES, fixture), folder, { recursive: true });
    if (!fs.existsSync(path.join(folder, 'package.json'))) fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
    fs.cpSync(path.join(String(this.installed), 'node_modules'), path.join(folder, 'node_modules'), { recursive: true });
    for (const name of links) fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    return folder;
  }

  remove() { fs.rmSync(this.folder, { recursive: true, force: true }); }
}
