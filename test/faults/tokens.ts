import { clients, send } from '../api/client';
import { injectFaults } from './inject-faults';
import { drill, expectSuccessOrInternalError } from './drill';

const [partner] = clients('identity-faults');
const [stranger] = clients('stranger');

const { clientId, clientSecret, apiKey } = partner.credentials;
const requestToken = (secret = clientSecret) =>
  send('POST', '/v3/auth/token', {
    headers: { 'x-api-key': apiKey },
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
  });

describe('While Cognito is down', () => {
  test('a token request is answered with 500, not with wrong credentials, and succeeds afterwards', async () => {
    injectFaults({ cognito: { down: true } });
    const answers = [await requestToken(), await requestToken('wrong')];
    for (const answer of answers) {
      expect(answer.status).toBe(500);
      expectSuccessOrInternalError(answer);
    }
    injectFaults({});
    expect(await requestToken()).toMatchObject({ status: 200 });
    expect(await requestToken('wrong')).toMatchObject({ status: 401 });
  });

  test('clients with a token are served and receive all changes', async () => {
    await drill(partner, stranger, { cognito: { down: true } });
  });
});
