import { pageToken, readPageToken } from '../../../domain/values/page-token';
import { id, refusalOf } from '../fixtures/samples';
import { fc } from '../../property-runs';

const list = 'jobs acme0001 PENDING';
const encode = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const refused = { code: 'invalid_request', details: [{ path: 'nextToken', message: 'is not a token of this list' }] };

test('a token is read as the identifier that it was made for', () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[0-9a-zA-Z-]{1,128}$/), (name, after) => {
      expect(readPageToken(name, pageToken(name, after))).toBe(after);
    }),
  );
});

test('a token needs no URL encoding', () => {
  expect(pageToken(list, id('job'))).toMatch(/^[\w-]+$/);
});

test.each(['jobs acme0001 QUEUED', 'jobs acme0001', 'jobs rival001 PENDING', 'shares acme0001'])(
  'a token of the list "%s" is refused',
  (other) => {
    expect(refusalOf(() => readPageToken(list, pageToken(other, id('job'))))).toMatchObject(refused);
  },
);

test('a truncated token is refused', () => {
  const token = pageToken(list, id('job'));
  for (let length = 0; length < token.length - 1; length++)
    expect(refusalOf(() => readPageToken(list, token.slice(0, length)))).toMatchObject(refused);
});

test.each([
  ['an empty identifier', encode([list, ''])],
  ['an identifier with a lone surrogate', encode([list, '\ud800'])],
  ['an identifier that is longer than a key may be', encode([list, 'a'.repeat(2000)])],
  ['an object in place of the identifier', encode([list, { S: 'x' }])],
  ['a third element', encode([list, id('job'), 1])],
  ['no list', encode(id('job'))],
  ['null', encode(null)],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
])('a forged token with %s is refused', (_, token) => {
  expect(refusalOf(() => readPageToken(list, token))).toMatchObject(refused);
});

test('any other text is refused as invalid_request', () => {
  fc.assert(
    fc.property(fc.string(), (text) => expect(refusalOf(() => readPageToken(list, text))).toMatchObject(refused)),
  );
});
