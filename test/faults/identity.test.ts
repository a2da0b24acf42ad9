import { clients, send } from '../api/client';
import { befall } from './befall';
import { drill, expectClear } from './drill';

const [partner] = clients('identity-faults');
const [stranger] = clients('stranger');

const { clientId, clientSecret, apiKey } = partner.credentials;
const askForToken = (secret = clientSecret) =>
  send('POST', '/v3/auth/token', {
    headers: { 'x-api-key': apiKey },
    body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
  });

describe('While Cognito is down', () => {
  test('who asks for a token is told that the service failed, not that the credentials are wrong, and gets one afterwards.', async () => {
    befall({ cognito: { down: true } });
    const answers = [await askForToken(), await askForToken('wrong')];
    for (const answer of answers) {
      expect(answer.status).toBe(500);
      expectClear(answer);
    }
    befall({});
    expect(await askForToken()).toMatchObject({ status: 200 });
    expect(await askForToken('wrong')).toMatchObject({ status: 401 });
  });

  test('who has a token is served, and hears of everything.', async () => {
    await drill(partner, stranger, { cognito: { down: true } });
  });
});
