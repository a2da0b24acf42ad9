import { clients, sendRaw } from '../client';
import { fleetOf } from '../given';

const [partner] = clients('strict-json');
const { deviceGroupId } = fleetOf(partner);

let headers: Record<string, string>;
beforeAll(async () => {
  headers = { authorization: `Bearer ${await partner.token()}`, 'content-type': 'application/json' };
});

/** Creates a job from text, whose last member is given, and returns the answer. */
const create = (member: string | Buffer, more: Record<string, string> = {}) => {
  const begin = Buffer.from(`{"name":"Survey","deviceGroupId":"${deviceGroupId}",`);
  const body = Buffer.concat([begin, Buffer.from(member), Buffer.from('}')]);
  return sendRaw('POST', '/v3/jobs/create', { ...headers, ...more }, body);
};
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

test.each<[string, string | Buffer, string]>([
  ['a member twice', '"scheduledAt":"2999-01-01T00:00:00Z","scheduledAt":"2999-01-01T00:00:00Z"', 'scheduledAt'],
  ['a member twice in metadata', '"metadata":{"a":{"b":1,"b":1}}', 'metadata.a.b'],
  ['an integer that would be rounded', '"metadata":{"id":1610521604143693812}', 'metadata.id'],
  ['a number that overflows', '"metadata":{"a":[1e400]}', 'metadata.a.0'],
  ['half a surrogate pair', '"metadata":{"a":"\\ud83d"}', 'metadata.a'],
  ['text in ISO-8859-1', Buffer.from('"description":"Z\u00fcrich"', 'latin1'), 'description'],
  ['100,000 levels', `"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, ''],
  ['a time in the year 1', '"scheduledAt":"0001-01-01T00:00:00Z"', 'scheduledAt'],
  ['a time of 1970', '"scheduledAt":"1970-01-01T00:00:00Z"', 'scheduledAt'],
  ['a time six minutes ago', `"scheduledAt":"${ago(360_000)}"`, 'scheduledAt'],
])('a job with %s is refused by path, and not created', async (_, member, path) => {
  const answer = await create(member);
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { details: [{ path }] }]);
  expect((await partner.call('GET /v3/jobs')).body.count).toBe(0);
});

test('a body in another charset than UTF-8 is 415', async () => {
  const answer = await create('"priority":1', { 'content-type': 'application/json; charset=iso-8859-1' });
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([415, { details: [{ path: 'Content-Type' }] }]);
  expect((await partner.call('GET /v3/jobs')).body.count).toBe(0);
});

test('what is unusual but clear is accepted', async () => {
  const member = `"scheduledAt":"${ago(240_000)}","metadata":{"a":0.12345678901234567890123,"b":"\\ud83d\\ude81"}`;
  expect(await create(member, { 'content-type': 'application/json; charset="utf-8"; version=3' })).toMatchObject({
    status: 201,
  });
});
