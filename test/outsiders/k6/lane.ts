import { startStack, stopStack } from '../../api/stack/running-stack';
import { root } from '../artifacts';
import { runCommand } from '../processes';
import type { Lane } from '../lane';

/**
 * What is judged is that every request succeeds, not how fast. At this rate the load has connections for six seconds' worth of
 * requests: if the machine pauses for less, all are sent.
 */
const load = ['rest', '--rate', '5', '--duration', '40'];

/** Grafana's load generator: the requests that partners send most, at a constant rate. */
export const k6: Lane = {
  title: 'the REST API under a small load (`npm run load -- rest`), by Grafana k6',
  run: async () => {
    const stack = await startStack();
    try {
      const words = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', 'test/bench/load/main.ts', ...load];
      const { exitCode, stdout, stderr } = await runCommand(process.execPath, words, {
        cwd: root,
        env: { LOCAL_DIR: stack.folder, BASE_URL: '' },
        exitCodes: [0, 1],
      });
      console.log(stdout.replaceAll(/^/gm, '  ').trimEnd());
      return exitCode === 0 ? [] : [`${stdout}${stderr}`];
    } finally {
      await stopStack(stack);
    }
  },
};
