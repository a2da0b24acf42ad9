import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAlive } from '../is-alive';
import { until } from './until';

describe('A process', () => {
  test('that runs is alive', () => {
    expect(isAlive(process.pid)).toBe(true);
  });

  test('that has ended is not', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    expect(isAlive(ended.pid ?? 0)).toBe(false);
  });

  test('that has ended without its parent’s notice is not', async () => {
    // The shell becomes a program that never asks for its children.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60']);
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      expect(isAlive(pid)).toBe(false);
    } finally {
      parent.kill();
    }
  });
});
