/**
 * The end of a world: the faults are over. L1 Everything that was asked for ends. L2 That holds even if the eldest then dies or stops for
 * ever. Independence: a free lock is granted soon, even if others are stopped. A context that comes late is served, above all when all
 * others have died.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('./program.js').Program} Program
 */
import { OTHER_PROTOCOL } from './variant.js';

/** Everything that was asked for ends within so many milliseconds after the faults. */
const PATIENCE = 60000;
/** The same limit, after a member was stopped for ever or has died, and for a visitor. */
const IMPATIENCE = 4000;
/** Within so many milliseconds, the others know that a member that nobody can watch has ended, if they ever learn it. */
const FOUND = 20000;

/** The programs that run the register's version. @param {Simulation} simulation */
const inPower = ({ world, programs }) => {
  const version = world.record.log && world.record.protocol === OTHER_PROTOCOL ? 1 : 0;
  return programs.filter((program) => program.version === version);
};

/**
 * @param {Simulation} simulation
 * @param {string} complaint
 * @param {number} patience
 * @param {() => Program[]} [whose] the programs whose requests must end
 */
const settle = async (simulation, complaint, patience, whose = () => inPower(simulation)) => {
  const { world, nature } = simulation;
  const deadline = world.time + patience + (nature.throttles ? 4 * PATIENCE : 0);
  for (;;) {
    const program = whose().find((each) => !each.done() && !each.stopped);
    if (!program) return;
    if (world.time > deadline) {
      const asked = [...program.asked][0];
      simulation.fail(`L1: ${asked ? `${program.key(asked)}, ${asked.state},` : `a query of ${program.log.clientId()}`} ${complaint}`);
    }
    await simulation.advance(world.time + 50);
  }
};

/** Pages of another version are served once all pages of the version in power are closed. @param {Simulation} simulation */
const endOneVersion = async (simulation) => {
  if (simulation.programs.every((program) => program.done())) return;
  simulation.note(undefined, 'the version in power ends');
  for (const program of inPower(simulation)) program.kill();
  await settle(simulation, 'of another version hangs', PATIENCE, () => simulation.programs);
};

/** Awake members that hold and request nothing, the eldest first. @param {Simulation} simulation */
const idleMembers = (simulation) => {
  const members = inPower(simulation).filter(({ copy, witness }) => copy.lives() && copy.isMember() && witness.acting);
  const eldest = members[0] && members[0].core.state().members.map(({ client }) => client);
  return members.sort((one, other) => eldest.indexOf(one.log.clientId()) - eldest.indexOf(other.log.clientId()));
};

/** The eldest or the youngest may stop for ever or die. Everybody else then asks for all names. @param {Simulation} simulation */
const stopEldest = async (simulation) => {
  const { world } = simulation;
  const members = idleMembers(simulation);
  const stopped = members.length > 1 && world.random() < 0.5 ? members[world.random() < 0.7 ? 0 : members.length - 1] : undefined;
  if (stopped) {
    const dies = world.random() < 0.3;
    simulation.note(stopped.context, dies ? 'dies in the end' : 'stops for ever');
    if (dies) stopped.kill();
    else stopped.stop();
  }
  for (const program of inPower(simulation)) {
    if (program.context.alive && !program.stopped) program.request({ names: ['a', 'b', 'c', 'd'], mode: 'exclusive', hold: 1000 });
  }
  await settle(simulation, 'cannot be served in the end', stopped ? IMPATIENCE : PATIENCE);
};

/** Some members stop. The others ask for names that nobody holds. @param {Simulation} simulation */
const stopSome = async (simulation) => {
  const { world } = simulation;
  const members = idleMembers(simulation).filter(({ stopped }) => !stopped);
  const going = members.filter(() => world.random() < 0.5);
  if (!going.length) return;
  for (const program of members) if (!going.includes(program)) program.stop();
  await simulation.advance(world.time + world.between(0, 300));
  going.forEach((program, at) => program.request({ names: [`own ${at}`], mode: 'exclusive' }));
  await settle(simulation, 'waits for somebody who holds nothing', simulation.promptness(going[0]) * 10 + world.holdsUp * going.length);
  // It asks one member after the other; where one of them is found dead meanwhile, twice.
  await visit(simulation, 'comes while some are stopped, and is not served', 2 * IMPATIENCE);
  for (const program of members) program.goOn();
};

/** @param {Simulation} simulation @param {string} complaint @param {number} patience */
const visit = async (simulation, complaint, patience) => {
  const visitor = simulation.addVisitor();
  simulation.note(visitor.context, 'visits');
  visitor.request({ names: ['a', 'b', 'visit'], mode: 'exclusive' });
  await settle(simulation, complaint, patience + simulation.world.holdsUp);
};

/**
 * Whether a member has died whose record has no alive name: its locks are not released while others live. A context that is a member
 * again has posted the `gone` of its former clients.
 */
const isDeathUnknown = (/** @type {Simulation} */ { world, programs }) => {
  const living = programs.filter(({ context, copy }) => context.alive && copy.lives());
  const isOf = (/** @type {string} */ client) => (/** @type {typeof living[0]} */ { context, copy, log }) =>
    copy.isMember() ? client.startsWith(`${context.id}-`) : client === log.clientId();
  return Object.entries(world.record.members).some(([client, { alive }]) => !alive && !living.some(isOf(client)));
};

/** @param {Simulation} simulation */
const everybodyDies = async (simulation) => {
  const { world, programs } = simulation;
  simulation.note(undefined, 'everybody dies');
  const wipes = world.random() < 0.3;
  if (wipes) {
    world.wipe();
    // Now only the clocks make fences grow, and clocks may differ.
    simulation.checker.fences.clear();
  }
  for (const program of programs) {
    if (wipes || world.random() < 0.3) await simulation.advance(world.time + world.between(0, 120));
    if (program.context.alive && world.random() < 0.3) program.context.tell('over');
    program.kill();
  }
  if (world.random() < 0.5) await simulation.advance(world.time + world.between(0, 1000));
  await visit(simulation, 'comes after everybody has died, and is not served', IMPATIENCE);
};

/** @param {Simulation} simulation */
export const endWorld = async (simulation) => {
  const { world } = simulation;
  simulation.note(undefined, 'the faults are over');
  simulation.ending = true;
  simulation.lastDisturbance = world.time;
  world.slowStorage = 1;
  // A context learns with the next message that it has missed some in a pause. Here, that may come after the others have stopped for ever.
  world.orders.broadcast.lookAll();
  world.storage.stumbles.end();
  for (const program of simulation.programs) {
    program.context.brokenUntil = 0;
    program.context.misses = program.context.pausedUntil = 0;
    program.context.endStall();
    program.copy.outOfMemory = false;
    program.context.catchUp();
    simulation.thaw(program);
    program.finish();
  }
  // Contexts come back, and deaths become known. Where timers fire once a minute, that takes longer.
  await simulation.advance(world.time + 2000 + (simulation.nature.throttles ? PATIENCE : 0));
  // Only a complete register shows the members that nobody can watch.
  const latest = world.time + 2000 + (simulation.nature.throttles ? 4 * PATIENCE : 0);
  while (world.record.incomplete && world.time < latest) await simulation.advance(world.time + 50);
  // Of some of these, others find out that they have ended (D11).
  const found = world.time + FOUND;
  while (isDeathUnknown(simulation) && world.time < found) await simulation.advance(world.time + 50);
  if (!isDeathUnknown(simulation)) {
    await settle(simulation, 'hangs', PATIENCE);
    await endOneVersion(simulation);
    // The last releases are still on their way.
    await simulation.advance(world.time + 3000);
    simulation.closing = true;
    await stopEldest(simulation);
    await stopSome(simulation);
    await visit(simulation, 'comes late, and is not served', IMPATIENCE);
  }
  simulation.closing = true;
  await everybodyDies(simulation);
};
