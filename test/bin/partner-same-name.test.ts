import { partner } from './fixtures/aws';
import { cirrus, file, onboarded } from './fixtures/onboarded';

describe('onboard', () => {
  test('warns of an organisation of the same name, and creates another', async () => {
    const { first } = await onboarded();
    const { exitCode, printed, errorOutput } = await partner(...cirrus, '--json');
    expect(exitCode).toBe(0);
    const [another] = (JSON.parse(printed) as { partners: { organisationId: string }[] }).partners;
    expect(another?.organisationId).not.toBe(first.organisationId);
    expect(errorOutput).toBe(
      `partner: warning: there is an organisation Cirrus Maps already, ${first.organisationId}; this creates another. To add a client to it instead: --organisation-id ${first.organisationId}\n`,
    );
  });

  test('warns of the same name in a file in the words of files, and of several organisations once', async () => {
    const { first } = await onboarded();
    await onboarded();
    const clients = [{ name: 'a', scopes: 'all' }];
    const plan = file('same.json', { organisations: [{ name: 'cirrus maps', clients }] });
    const { errorOutput } = await partner('onboard', '--file', plan);
    expect(errorOutput).toMatch(/^partner: warning: .*, and 1 more; .*: "organisationId": "org-\w{8}"\n$/);
    expect(errorOutput).toContain(first.organisationId);
  });

  test('warns of nothing when the organisation is named by its id', async () => {
    const { first } = await onboarded();
    const words = ['onboard', '--organisation-id', first.organisationId, '--client', 'b', '--scopes', 'all'];
    expect(await partner(...words)).toMatchObject({ exitCode: 0, errorOutput: '' });
  });
});
