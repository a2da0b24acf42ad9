import { originOf } from '../../../domain/values/creator';

test.each([
  ['noted as this client', 'a', false, 'own'],
  ['noted as this client, the only one', 'a', true, 'own'],
  ['noted as another client', 'b', false, 'another'],
  ['noted as a client that was offboarded since', 'b', true, 'another'],
  ['not noted, of an only client', undefined, true, 'own'],
  ['not noted, of one of several clients', undefined, false, 'unknown'],
])('what is %s is of the origin that is known', (_, createdBy, isOnlyClient, origin) => {
  expect(originOf(createdBy, 'a', isOnlyClient)).toBe(origin);
});
