import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const [, definition = ''] = /^(field\(\) \{.+?\})(?: {2}#.*)?$/m.exec(readme) ?? [];

/** Assigns what `field` finds in an answer, as the commands of the README do, and prints the variable. */
const assign = (answer: string, field: string) =>
  spawnSync('bash', ['-c', `${definition}\nFOUND=$(printf %s "$ANSWER" | field ${field})\nprintf %s "$FOUND"`], {
    encoding: 'utf8',
    env: { ...process.env, ANSWER: answer },
  });

describe('The commands of the README', () => {
  test('take a field of an answer into a variable', () => {
    const { stdout, stderr } = assign('{"success":true,"job":{"jobId":"job-1","name":"x"}}', 'jobId');
    expect({ stdout, stderr }).toEqual({ stdout: 'job-1', stderr: '' });
  });

  test('show an error and leave the variable empty', () => {
    const refusal = '{"error":"Forbidden","error_description":"x-api-key: is missing or unknown"}';
    const { stdout, stderr } = assign(refusal, 'access_token');
    expect({ stdout, stderr: stderr.trim() }).toEqual({ stdout: '', stderr: refusal });
  });

  test('assign no answer unread', () => {
    const assigned = [...readme.matchAll(/^\w+=\$\(curl [\s\S]+?\)(?=$|;)/gm)].map(([command]) => command);
    expect(assigned.length).toBeGreaterThan(1);
    for (const command of assigned) expect(command).toMatch(/ \| field \w+\)$/);
  });
});
