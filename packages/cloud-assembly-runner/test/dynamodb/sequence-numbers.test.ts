import { sequenceNumber, withSequenceNumbers } from '../../dynamodb/sequence-numbers';

test('sequence numbers have the length that clients of AWS check', () => {
  expect(sequenceNumber('12')).toBe('000000000000000000012');
  expect(sequenceNumber('300000000000000499659')).toBe('300000000000000499659');
});

test('an answer about a stream has them in all places, without the checksum of the engine’s text', () => {
  const ofEngine = {
    Records: [{ dynamodb: { SequenceNumber: '9', Keys: { id: { S: '9' } } } }],
    Shards: [{ SequenceNumberRange: { StartingSequenceNumber: '1', EndingSequenceNumber: '10' } }],
  };
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  const answer = { status: 200, headers: { ...headers, 'x-amz-crc32': '1' }, body: JSON.stringify(ofEngine) };
  const { body, ...rest } = withSequenceNumbers(answer);
  expect(rest).toEqual({ status: 200, headers });
  expect(JSON.parse(String(body))).toEqual({
    Records: [{ dynamodb: { SequenceNumber: sequenceNumber('9'), Keys: { id: { S: '9' } } } }],
    Shards: [
      {
        SequenceNumberRange: {
          StartingSequenceNumber: sequenceNumber('1'),
          EndingSequenceNumber: sequenceNumber('10'),
        },
      },
    ],
  });
});
