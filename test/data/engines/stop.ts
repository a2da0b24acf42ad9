import type { GlobalWithEngines } from './start';

/** Stops the engines that `start` started. When jest is killed, they end with it. */
export default async function stop(): Promise<void> {
  const { engines = [] } = globalThis as GlobalWithEngines;
  await Promise.all(engines.map((engine) => engine.stop()));
}
