import { scopes } from '../../contract/endpoint';
import { aws, partner, partnerAt } from './fixtures/aws';
import { cirrus, onboarded } from './fixtures/onboarded';
import { tables } from './fixtures/tables';

/** What a terminal shows after escape sequences that delete a line. */
const visible = (text: string) => text.replaceAll(/[^\n]*\r\u001b\[K/g, '');

describe('list', () => {
  const longest = { clientId: '1h57kf5cpq17m0eml12example', name: 'A client with a long name for its programs' };

  async function givenClients() {
    const { first } = await onboarded();
    const record = { ...tables.partners.get(first.clientId) };
    tables.partners.delete(first.clientId);
    const limited = [...scopes].slice(1);
    for (const [index, held] of [[...scopes], limited].entries()) {
      const clientId = `${longest.clientId.slice(0, -1)}${index}`;
      tables.partners.set(clientId, { ...record, ...longest, clientId, scopes: held, newApiKeyId: 'key' });
    }
    return { organisationId: first.organisationId, limited };
  }

  test('fits a terminal of 80 columns, with ids, names and scopes whole', async () => {
    const { organisationId, limited } = await givenClients();
    const { printed } = await partnerAt({ columns: 80 }, 'list');
    const lines = printed.trimEnd().split('\n');
    expect(lines.filter(({ length }) => length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^id +name +status +keys +scopes$/);
    expect(lines[1]).toMatch(new RegExp(`^${organisationId} +Cirrus Maps +active$`));
    expect(printed).toMatch(/^ {2}1h57kf5cpq17m0eml12exampl0 .* active +2 +all$/m);
    expect(printed).toMatch(/^ {2}1h57kf5cpq17m0eml12exampl1 .* active +2 +command:read/m);
    for (const word of [...limited, ...longest.name.split(' ')]) expect(printed).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('has a line for each client with all its scopes when it is not shown at a terminal', async () => {
    await givenClients();
    const { printed } = await partner('list');
    expect(printed.trimEnd().split('\n')).toHaveLength(4);
    expect(printed).toContain(scopes.join(' '));
  });

  test('cuts no id, however narrow the terminal', async () => {
    const { organisationId } = await givenClients();
    const { printed } = await partnerAt({ columns: 20 }, 'list');
    for (const id of [organisationId, '1h57kf5cpq17m0eml12exampl1']) expect(printed).toContain(id);
  });
});

describe('Progress', () => {
  test('is a line on standard error that names the step, is redrawn and is deleted at the end', async () => {
    const { printed, errorOutput } = await partnerAt({ errorColumns: 80 }, ...cirrus, '--json');
    expect(JSON.parse(printed)).toHaveProperty('partners');
    expect(errorOutput).toContain('… creating OAuth client and API key of cirrus');
    expect(errorOutput).not.toContain('\n');
    expect(visible(errorOutput)).toBe('');
  });

  test('leaves only the message of a failure, and of a warning', async () => {
    await onboarded();
    const { errorOutput } = await partnerAt({ errorColumns: 80 }, ...cirrus);
    expect(visible(errorOutput)).toMatch(/^partner: warning: [^\n]+\n$/);
    const failed = await partnerAt({ errorColumns: 80 }, 'suspend', '--client-id', 'none');
    expect(visible(failed.errorOutput)).toMatch(/^partner: there is no client [^\n]+\n$/);
  });

  test('never wraps, since only its last line would be deleted', async () => {
    const { errorOutput } = await partnerAt({ errorColumns: 20 }, ...cirrus);
    const drawn = errorOutput.split('\r\u001b[K');
    expect(drawn.length).toBeGreaterThan(2);
    expect(drawn.filter(({ length }) => length >= 20)).toEqual([]);
  });
});

describe('offboard at a terminal', () => {
  const asked: string[] = [];
  const answering = (answer: string) => ({
    ask: (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
  });
  beforeEach(() => {
    asked.length = 0;
  });

  test.each([
    ['the name of the organisation', '--organisation-id', 'Cirrus Maps'],
    ['the name of the client', '--client-id', 'cirrus'],
    ['y', '--client-id', ' y '],
    ['yes', '--organisation-id', 'yes'],
  ])('deletes after %s was typed', async (_, flag, answer) => {
    const { clientId, organisationId } = (await onboarded()).first;
    const id = flag === '--client-id' ? clientId : organisationId;
    expect(await partnerAt(answering(answer), 'offboard', flag, id)).toMatchObject({ exitCode: 0 });
    expect(aws.clients.size).toBe(0);
    expect(asked).toHaveLength(1);
  });

  test.each(['', 'n', 'another name'])('deletes nothing after "%s" was typed', async (answer) => {
    const { clientId } = (await onboarded()).first;
    expect(await partnerAt(answering(answer), 'offboard', '--client-id', clientId)).toMatchObject({ exitCode: 1 });
    expect([aws.clients.size, aws.keys.size]).toEqual([1, 1]);
    expect(tables.partners.get(clientId)).toMatchObject({ status: 'active' });
  });

  test('shows what it would delete, and mentions shares with the last client only', async () => {
    const { clientId, organisationId } = (await onboarded()).first;
    const words = ['onboard', '--organisation-id', organisationId, '--client', 'second', '--scopes', 'all'];
    await onboarded(...words);
    await partnerAt(answering('n'), 'offboard', '--client-id', clientId);
    await partnerAt(answering('n'), 'offboard', '--organisation-id', organisationId);
    expect(asked[0]).toContain(`of Cirrus Maps (${organisationId}):\n  ${clientId}  cirrus\nType cirrus or y`);
    expect(asked[1]).toMatch(/second\n {2}all shares, since no client is left\nType Cirrus Maps or y/);
  });

  test('asks nothing with --yes', async () => {
    const { clientId } = (await onboarded()).first;
    expect(await partnerAt(answering('n'), 'offboard', '--yes', '--client-id', clientId)).toMatchObject({
      exitCode: 0,
    });
    expect(asked).toEqual([]);
  });
});

test('offboard deletes nothing without --yes where nobody can be asked', async () => {
  const { clientId } = (await onboarded()).first;
  expect(await partner('offboard', '--client-id', clientId)).toMatchObject({ exitCode: 2, printed: '' });
  expect([aws.clients.size, aws.keys.size]).toEqual([1, 1]);
});
