import { send } from '../api/client';
import { expectSuccessOrInternalError } from './drill';
import { injectFaults } from './inject-faults';
import type { Trial } from './trial';

/** Asks for tokens while no answer can be known: with the right secret and with a wrong one. */
export const askForTokensDuring: Trial = async ({ credentials }, faults) => {
  const { clientId, clientSecret, apiKey } = credentials;
  const requestToken = (secret: string) =>
    send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey },
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    });
  injectFaults(faults);
  const answers = [await requestToken(clientSecret), await requestToken('wrong')];
  injectFaults({});
  for (const answer of answers) {
    expect(answer.status).toBe(500);
    expectSuccessOrInternalError(answer);
  }
  return async () => {
    expect(await requestToken(clientSecret)).toMatchObject({ status: 200 });
    expect(await requestToken('wrong')).toMatchObject({ status: 401 });
  };
};
