import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChoiceError, deploymentChoices } from '../../lib/deployment-choices';
import { stackName } from '../../lib/drone-mission-api-stack';
import { newApp } from './new-app';

const choose = (context: Record<string, unknown>) => deploymentChoices(newApp(context).node);
const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/abc`;

describe('What is chosen for a deployment', () => {
  test('is nothing, by default: everything is kept, and AWS gives the addresses', () => {
    expect(choose({})).toEqual({
      removeData: false,
      domain: undefined,
      webSocketDomain: undefined,
      mqttDomain: undefined,
      simulatedFleet: undefined,
    });
  });

  test.each([
    ['text, as the command line has it', { removeData: 'true', simulatedFleet: 'true', simulatedFleetSpeed: '8' }],
    ['values, as cdk.json has them', { removeData: true, simulatedFleet: true, simulatedFleetSpeed: 8 }],
  ])('may be given as %s', (_, context) => {
    expect(choose(context)).toMatchObject({ removeData: true, simulatedFleet: { speed: 8, rest: 10 } });
  });

  test('that is empty is not chosen, so that a script can pass on what may not be set', () => {
    expect(choose({ alarmTopicArn: '', domainName: '', certificateArn: '' })).toEqual(choose({}));
  });

  test.each([
    ['removeDate', 'true', 'Context removeDate is no choice of this app; did you mean removeData?'],
    ['REMOVEDATA', 'true', 'Context REMOVEDATA is no choice of this app; did you mean removeData?'],
    ['domain', 'api.example.com', 'Context domain is no choice of this app; did you mean domainName?'],
    ['colour', 'red', 'Context colour is no choice of this app'],
    ['removeData', 'yes', 'Context removeData must be true or false.'],
    ['shareBaseUrl', 7, 'Context shareBaseUrl must be a string.'],
    ['simulatedFleetSpeed', 'fast', 'Context simulatedFleetSpeed must be a number from 1 to 100.'],
    ['simulatedFleetRest', '21', 'Context simulatedFleetRest must be a number from 1 to 20.'],
    ['stage', 'Live', 'Context stage must be lower-case letters and digits, with single hyphens inside.'],
    ['stage', 'a--b', 'Context stage must be lower-case letters and digits, with single hyphens inside.'],
    ['stage', 'my-aws', 'Context stage must not have aws, amazon or cognito in it.'],
    ['stage', 'x'.repeat(21), 'Context stage must have at most 20 characters.'],
    ['domainName', 'api.example.com', 'Context domainName and certificateArn go together: give both or neither.'],
    [
      'certificateArn',
      certificate('eu-west-1'),
      'Context domainName and certificateArn go together: give both or neither.',
    ],
    [
      'webSocketDomainName',
      'channels.example.com',
      'Context webSocketDomainName and webSocketCertificateArn go together: give both or neither.',
    ],
    [
      'mqttCertificateArn',
      certificate('eu-west-1'),
      'Context mqttDomainName and mqttCertificateArn go together: give both or neither.',
    ],
  ])('%s=%s is refused in a line that names it', (name, value, message) => {
    expect(() => choose({ [name]: value })).toThrow(new ChoiceError(message));
  });

  test('may be a certificate for CloudFront only where CloudFront looks for it', () => {
    const domain = { webSocketDomainName: 'channels.example.com' };
    const chosen = { ...domain, webSocketCertificateArn: certificate('eu-west-1') };
    expect(() => choose(chosen)).toThrow(
      new ChoiceError(
        'Context webSocketCertificateArn must be a certificate in us-east-1, where CloudFront looks for it.',
      ),
    );
  });

  test('leaves alone what the CDK keeps in its context', () => {
    const cdk = {
      '@aws-cdk/core:newFlag': true,
      'aws:cdk:enable-path-metadata': true,
      'acknowledged-issue-numbers': [1],
    };
    expect(choose(cdk)).toEqual(choose({}));
  });

  test('is named when it is wrong, on one line and without a stack trace', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cdk.out-'));
    const env = { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"stagee":"live"}' };
    const run = () =>
      execFileSync(process.execPath, ['--require', 'tsx/cjs', 'bin/app.ts'], {
        cwd: join(__dirname, '../..'),
        env,
        stdio: 'pipe',
      });
    expect(run).toThrow(
      expect.objectContaining({
        status: 1,
        stderr: Buffer.from('Context stagee is no choice of this app; did you mean stage?\n'),
      }) as Error,
    );
    rmSync(folder, { recursive: true });
  });
});

test('A stage has a stack of its own', () => {
  expect([stackName(undefined), stackName('staging')]).toEqual(['DroneMissionApi', 'DroneMissionApi-staging']);
});
