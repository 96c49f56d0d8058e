/**
 * The end of a world: the faults are over. L1 Whatever was asked for ends. L2 So it does where the eldest then dies or stops for ever.
 * Independence: what is free is granted soon, whoever else is stopped. And whoever comes late is served, most of all when all others have
 * died.
 *
 * @typedef {import('./simulation.js').Simulation} Simulation
 * @typedef {import('./program.js').Program} Program
 */
import { OTHER_PROTOCOL } from './variant.js';

/** So long, after the faults, may it take until all that was asked for has ended. */
const PATIENCE = 60000;
/** And so long where the eldest has just been stopped; and for a visitor. */
const IMPATIENCE = 4000;
/** And so long until it is known of members that nobody can watch that they have ended, if that is ever known. */
const FOUND = 20000;

/** Who runs the version that the register has. @param {Simulation} simulation */
const inPower = ({ world, programs }) => {
  const version = world.record.log && world.record.protocol === OTHER_PROTOCOL ? 1 : 0;
  return programs.filter((program) => program.version === version);
};

/**
 * @param {Simulation} simulation
 * @param {string} complaint
 * @param {number} patience
 * @param {() => Program[]} [whose] who must have what they have asked for
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

/** Pages of another version wait until the last one of this has been closed, and are served then. @param {Simulation} simulation */
const endOneVersion = async (simulation) => {
  if (simulation.programs.every((program) => program.done())) return;
  simulation.note(undefined, 'the version in power ends');
  for (const program of inPower(simulation)) program.kill();
  await settle(simulation, 'of another version hangs', PATIENCE, () => simulation.programs);
};

/** @param {Simulation} simulation awake members that hold and want nothing, eldest first */
const idleMembers = (simulation) => {
  const members = inPower(simulation).filter(({ copy, witness }) => copy.lives() && copy.isMember() && witness.acting);
  const eldest = members[0] && members[0].core.state().members.map(({ client }) => client);
  return members.sort((one, other) => eldest.indexOf(one.log.clientId()) - eldest.indexOf(other.log.clientId()));
};

/** The eldest, or another one, stops for ever or dies; everybody else asks for everything. @param {Simulation} simulation */
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

/** Some stop, and those that go on ask for what nobody has. @param {Simulation} simulation */
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
 * Whether somebody has died of whom the register only says that it was there: what it held is lost for as long as others live. A context
 * that is a member again has buried the clients that it was.
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
    // Then nothing says any more which fences there have been, but clocks that may differ.
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
  // What was lost in a pause shows when something is posted next, and here that might be after the others have stopped for ever.
  world.orders.broadcast.lookAll();
  world.storage.stumbles.end();
  for (const program of simulation.programs) {
    program.context.brokenUntil = 0;
    program.context.misses = program.context.pausedUntil = 0;
    program.context.loop.busyUntil = 0;
    program.copy.outOfMemory = false;
    program.context.catchUp();
    simulation.thaw(program);
    program.finish();
  }
  // Time for those who come back, and for news of deaths; where timers fire once a minute, also for whoever waits for one to go on.
  await simulation.advance(world.time + 2000 + (simulation.nature.throttles ? PATIENCE : 0));
  // Before it is complete, the register does not show whom nobody can watch.
  const latest = world.time + 2000 + (simulation.nature.throttles ? 4 * PATIENCE : 0);
  while (world.record.incomplete && world.time < latest) await simulation.advance(world.time + 50);
  // Of some it shows that they have ended (D11).
  const found = world.time + FOUND;
  while (isDeathUnknown(simulation) && world.time < found) await simulation.advance(world.time + 50);
  if (!isDeathUnknown(simulation)) {
    await settle(simulation, 'hangs', PATIENCE);
    await endOneVersion(simulation);
    // What was released last is still on its way.
    await simulation.advance(world.time + 3000);
    simulation.closing = true;
    await stopEldest(simulation);
    await stopSome(simulation);
    await visit(simulation, 'comes late, and is not served', IMPATIENCE);
  }
  simulation.closing = true;
  await everybodyDies(simulation);
};
