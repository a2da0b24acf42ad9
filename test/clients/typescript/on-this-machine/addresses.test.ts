import { readFacts } from '../../../api/stack/facts';
import { givenClient } from '../given-client';

describe('an address of the TypeScript client', () => {
  // The MQTT broker of a stack on this machine has a certificate of the stack's own authority.
  const { mqttUrl } = readFacts();

  test('whose certificate this machine does not trust is refused in one line that says what to do', async () => {
    const wsUrl = mqttUrl.replace('mqtts:', 'wss:');
    const { client: follower } = givenClient('typescript-client', { wsUrl });
    await expect(follower.jobs.follow('job-1').next()).rejects.toMatchObject({
      problem: 'certificate',
      message: `The certificate of ${wsUrl} is not from an authority that this machine trusts (SELF_SIGNED_CERT_IN_CHAIN): check wsUrl, or set NODE_EXTRA_CA_CERTS to the PEM file of the authority before Node.js starts.`,
    });
  });

  test('of another service is refused in one line that says what to do', async () => {
    const baseUrl = mqttUrl.replace('mqtts:', 'https:');
    await expect(givenClient('typescript-client', { baseUrl }).client.jobs.page()).rejects.toMatchObject({
      problem: 'not-the-api',
      message: `What answers at ${baseUrl} is not the Drone Mission API: check baseUrl.`,
    });
  });
});
