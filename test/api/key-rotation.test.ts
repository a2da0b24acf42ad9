import * as z from 'zod';
import { clients, send } from './client';
import { runPartnerCommand } from './stack/aws-access';

const [partner] = clients('key-rotation');
const { clientId, clientSecret, apiKey } = partner.credentials;
const added = z.object({ apiKey: z.string() });

const statusWith = async (key: string) => {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return (await send('POST', '/v3/auth/token', { headers: { 'x-api-key': key }, body })).status;
};

test('a rotated API key opens the token endpoint beside the old one, until the old one is deleted', async () => {
  const printed = await runPartnerCommand('rotate-key', '--client-id', clientId);
  const { apiKey: newKey } = added.parse(JSON.parse(printed));
  expect([await statusWith(apiKey), await statusWith(newKey)]).toEqual([200, 200]);
  await runPartnerCommand('rotate-key', '--client-id', clientId, '--retire-old');
  expect([await statusWith(apiKey), await statusWith(newKey)]).toEqual([403, 200]);
});
