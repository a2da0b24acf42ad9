import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { openConnectionLog } from '../../data-folder/connection-log';

describe('Connection log', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'connection-log-test-'));
    file = join(folder, 'open.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = () => openConnectionLog(file, z.string());

  test('reports connections of the previous process until they are closed', () => {
    const first = open();
    first.opened('1', 'one');
    first.opened('2', 'two');
    first.opened('3', 'three');
    first.closed('2');
    const second = open();
    expect(second.unclosed).toEqual(['one', 'three']);
    second.closed('1');
    expect(open().unclosed).toEqual(['three']);
  });

  test('ignores connections opened or closed after the end', () => {
    const only = open();
    only.opened('1', 'one');
    only.end();
    only.closed('1');
    only.opened('2', 'two');
    expect(open().unclosed).toEqual(['one']);
  });

  test('stays small when many connections come and go', () => {
    const busy = open();
    busy.opened('stays', 'here');
    for (let index = 0; index < 5000; index++) {
      busy.opened(`${index}`, 'guest');
      busy.closed(`${index}`);
    }
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(2010);
    expect(open().unclosed).toEqual(['here']);
  });
});
