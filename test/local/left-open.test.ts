import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { openLeftOpen } from '../../local/left-open';

describe('What a killed process leaves open', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'left-open-test-'));
    file = join(folder, 'open.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = () => openLeftOpen(file, z.string());

  it('is known to the next one, until it is said to be closed.', () => {
    const first = open();
    first.opened('1', 'one');
    first.opened('2', 'two');
    first.opened('3', 'three');
    first.closed('2');
    const second = open();
    expect(second.left).toEqual(['one', 'three']);
    second.closed('1');
    expect(open().left).toEqual(['three']);
  });

  it('is not what could be closed, nor what came after the end.', () => {
    const only = open();
    only.opened('1', 'one');
    only.end();
    only.closed('1');
    only.opened('2', 'two');
    expect(open().left).toEqual(['one']);
  });

  it('takes little room, however many come and go.', () => {
    const busy = open();
    busy.opened('stays', 'here');
    for (let index = 0; index < 5000; index++) {
      busy.opened(`${index}`, 'guest');
      busy.closed(`${index}`);
    }
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(2010);
    expect(open().left).toEqual(['here']);
  });
});
