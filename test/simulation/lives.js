/**
 * Says whether a life has ended, by an alive name that the context had in that life. This works for a frozen context, too, and after data
 * was cleared. Not every context shows its end.
 *
 * @typedef {import('./context.js').SimulatedContext} SimulatedContext
 */
export class Lives {
  /** @param {import('./world.js').World} world */
  constructor(world) {
    this.world = world;
    /** @type {Map<string, {context: SimulatedContext, ended: boolean}>} */
    this.names = new Map();
  }

  /** @param {SimulatedContext} context @param {string} name */
  begin(context, name) {
    if (context.showsEnd) this.names.set(name, { context, ended: false });
    return name;
  }

  /** @param {SimulatedContext} context */
  end(context) {
    for (const life of this.names.values()) if (life.context === context) life.ended = true;
  }

  /** The browser loses what shows whether lives have ended. So they seem to have ended. */
  lose() {
    for (const life of this.names.values()) life.ended = true;
  }

  /** @param {string} name */
  #showsLife(name) {
    const life = this.names.get(name);
    return !!life && !life.ended && life.context.alive;
  }

  /** @param {SimulatedContext} asking @param {string} name */
  async isLiving(asking, name) {
    await this.world.storageEvent(asking, 1, 30);
    return this.#showsLife(name);
  }

  /** @param {SimulatedContext} asking @param {string} name @param {string} own a name that the asking context had */
  async hasEnded(asking, name, own) {
    await this.world.storageEvent(asking, 1, 30);
    return this.names.has(name) && !this.#showsLife(name) && this.#showsLife(own);
  }
}
