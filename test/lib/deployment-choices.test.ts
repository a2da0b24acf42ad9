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
      tags: {},
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

  test.each([
    ['costCenter=42, owner=flight=ops', { costCenter: '42', owner: 'flight=ops' }],
    [{ costCenter: '42' }, { costCenter: '42' }],
  ])('may be tags: %j', (tags, read) => {
    expect(choose({ tags }).tags).toEqual(read);
  });

  test('may be a number of requests, a web ACL of CloudFront and a boundary, which may be one of AWS', () => {
    const cloudFrontWebAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2';
    const permissionsBoundaryArn = 'arn:aws:iam::aws:policy/PowerUserAccess';
    expect(choose({ webRateLimit: '10', cloudFrontWebAclArn, permissionsBoundaryArn })).toMatchObject({
      ...{ webRateLimit: 10, cloudFrontWebAclArn, permissionsBoundaryArn },
    });
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
    ['stage', 'my-edge', 'Context stage must not end in edge, as the stacks in us-east-1 do.'],
    ['webRateLimit', '9', 'Context webRateLimit must be a whole number from 10 to 2000000000.'],
    ['webRateLimit', '99.5', 'Context webRateLimit must be a whole number from 10 to 2000000000.'],
    ['edgeRateLimit', 'many', 'Context edgeRateLimit must be a whole number from 10 to 2000000000.'],
    [
      'cloudFrontWebAclArn',
      'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/edge/1-2',
      'Context cloudFrontWebAclArn must be the ARN of a web ACL of scope CLOUDFRONT, in us-east-1.',
    ],
    ['tags', 'costCenter', 'Context tags must be tags such as costCenter=42,owner=flight.'],
    ['tags', 7, 'Context tags must be tags such as costCenter=42,owner=flight.'],
    ['tags', 'aws:owner=flight', 'Context tags must not have a key that begins with aws:.'],
    ['tags', 'owner=flight;ops', 'Context tags must be letters, digits, spaces and _.:/=+-@: owner is not.'],
    ['tags', `${'k'.repeat(129)}=1`, 'Context tags must have keys of at most 128 characters.'],
    ['tags', `owner=${'v'.repeat(257)}`, 'Context tags must have values of at most 256 characters: owner is longer.'],
    ['tags', 'Stage=live', 'Context tags must have each key once: stage is there twice.'],
    [
      'tags',
      Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, '1'])),
      'Context tags must be 48 tags at most.',
    ],
    ['permissionsBoundaryArn', 'bound', 'Context permissionsBoundaryArn must be the ARN of an IAM policy.'],
    [
      'permissionsBoundaryArn',
      'arn:aws:iam::123456789012:role/bound',
      'Context permissionsBoundaryArn must be the ARN of an IAM policy.',
    ],
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
