import { routeOf } from '../../../contract/access';
import type { Answer } from '../../client/rest';
import { expectRefusal, expectThat, replied, send } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';
import type { Client } from '../target';

const KEY = 'POST /v3/auth/token';

/** Asks for a token as a client. @throws Unexpected when no answer comes */
function askForToken(
  story: Story,
  { clientId: client_id, clientSecret: client_secret }: Omit<Client, 'apiKey'>,
  apiKey: string | undefined,
): Promise<Answer> {
  const { method, path } = routeOf(KEY);
  return send(story, method, path, {
    headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
    body: { grant_type: 'client_credentials', client_id, client_secret },
  });
}

/** A token of a client. @throws Unexpected when it gets none */
export const newToken = async (story: Story, client: Client): Promise<string> =>
  replied(KEY, await askForToken(story, client, client.apiKey)).access_token;

async function token(story: Story): Promise<undefined> {
  const answer = await askForToken(story, story.target.client, story.target.client.apiKey);
  const { access_token, expires_in } = replied(KEY, answer);
  story.give('token', access_token);
  // Spec section 5: an hour, for a client that caches it.
  expectThat(expires_in === 3600, 'a token for 3600 s', () => `${expires_in} s`);
}

async function withoutApiKey(story: Story): Promise<undefined> {
  expectRefusal(await askForToken(story, story.target.client, undefined), 403, 'Forbidden');
}

async function wrongSecret(story: Story): Promise<undefined> {
  const { clientId, apiKey } = story.target.client;
  const answer = await askForToken(story, { clientId, clientSecret: 'not-the-secret' }, apiKey);
  expectRefusal(answer, 401, 'invalid_client');
}

export const tokenSteps: readonly Step[] = [{ name: 'token', run: token }];

export const tokenRefusals: readonly Step[] = [
  { name: '401 for a wrong client secret', run: wrongSecret },
  { name: '403 without an API key', run: withoutApiKey },
];
