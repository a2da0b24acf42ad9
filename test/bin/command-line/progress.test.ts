import { createProgress, type ProgressStream } from '../../../bin/command-line/progress';

function recorded(stream: Omit<ProgressStream, 'write'> = {}) {
  let written = '';
  const progress = createProgress({ ...stream, write: (text) => (written += text) });
  return { progress, written: () => written };
}

describe('Progress', () => {
  test('elsewhere than in a terminal is a plain line for each thing that is waited for', () => {
    const { progress, written } = recorded();
    progress.waitFor('for take-off', '1 s');
    progress.waitFor('for take-off', '2 s');
    progress.line('in the air');
    progress.waitFor('for the landing');
    progress.end();
    expect(written()).toBe('… for take-off\nin the air\n… for the landing\n');
  });

  test('in a terminal redraws its last line, below the lines that stay', () => {
    const { progress, written } = recorded({ isTTY: true, columns: 80 });
    progress.waitFor('for take-off', '1 s');
    progress.waitFor('for take-off', '2 s');
    progress.line('in the air');
    progress.end();
    const clear = '\r\u001b[K';
    const last = '… for take-off: 2 s';
    expect(written()).toBe(`… for take-off: 1 s${clear}${last}${clear}in the air\n${last}${clear}`);
  });

  test.each([
    [20, 19],
    // Some terminals say that they are 0 wide.
    [0, 79],
  ])('in a terminal of %i columns takes at most %i, since a line that wraps could not be erased', (columns, length) => {
    const { progress, written } = recorded({ isTTY: true, columns });
    progress.waitFor('x'.repeat(200));
    expect(written()).toHaveLength(length);
  });
});
