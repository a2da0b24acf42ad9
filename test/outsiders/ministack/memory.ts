import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Private memory of all other processes of a program, in MB. Linux only. */
export function memoryOfOthersMb(program: string): number {
  const own = String(process.pid);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== own);
  const kilobytes = processes.filter((id) => runs(id, program)).map(privateKilobytes);
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

function runs(id: string, program: string): boolean {
  const [started = ''] = read(`/proc/${id}/cmdline`).split('\0');
  return basename(started) === basename(program) && link(`/proc/${id}/exe`) !== process.execPath;
}

const privateKilobytes = (id: string) =>
  Array.from(read(`/proc/${id}/smaps_rollup`).matchAll(/^Private_\w+:\s+(\d+) kB$/gm), ([, size]) =>
    Number(size),
  ).reduce((sum, one) => sum + one, 0);

/** Empty when the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
