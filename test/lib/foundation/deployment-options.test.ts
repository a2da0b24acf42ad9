import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionError, deploymentOptions } from '../../../lib/foundation/deployment-options';
import { stackName } from '../../../lib/stack/drone-mission-api-stack';
import { newApp } from '../synthesised';

const optionsIn = (context: Record<string, unknown>) => deploymentOptions(newApp(context).node);
const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/abc`;

describe('The options of a deployment', () => {
  test('by default retain all data and use the addresses that AWS assigns', () => {
    expect(optionsIn({})).toEqual({
      eventRetentionDays: 7,
      maxWaitingCalls: 300,
      maxFilesAtOnce: 10,
      removeData: false,
      flightRetentionDays: 90,
      tracing: false,
      tags: {},
      domain: undefined,
      webSocketDomain: undefined,
      mqttDomain: undefined,
      simulatedFleet: undefined,
    });
  });

  test.each([
    ['text, as on the command line', { removeData: 'true', simulatedFleet: 'true', simulatedFleetSpeed: '8' }],
    ['values, as in cdk.json', { removeData: true, simulatedFleet: true, simulatedFleetSpeed: 8 }],
  ])('are accepted as %s', (_, context) => {
    expect(optionsIn(context)).toMatchObject({ removeData: true, simulatedFleet: { speed: 8, rest: 10 } });
  });

  test.each([
    ['costCenter=42, owner=flight=ops', { costCenter: '42', owner: 'flight=ops' }],
    [{ costCenter: '42' }, { costCenter: '42' }],
  ])('accept the tags %j', (tags, read) => {
    expect(optionsIn({ tags }).tags).toEqual(read);
  });

  test('accept a request limit, a web ACL of CloudFront, and a permissions boundary, also an AWS managed one', () => {
    const cloudFrontWebAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2';
    const permissionsBoundaryArn = 'arn:aws:iam::aws:policy/PowerUserAccess';
    expect(optionsIn({ webRateLimit: '10', cloudFrontWebAclArn, permissionsBoundaryArn })).toMatchObject({
      webRateLimit: 10,
      cloudFrontWebAclArn,
      permissionsBoundaryArn,
    });
  });

  test.each([
    ['platformPrincipalArn', '123456789012'],
    ['platformPrincipalArn', 'arn:aws:iam::123456789012:role/team/platform'],
    ['platformTargetArn', 'arn:aws:events:eu-west-1:123456789012:event-bus/platform'],
    ['platformTargetArn', 'arn:aws:sqs:eu-west-1:123456789012:heard'],
  ])('accept %s=%s', (name, value) => {
    expect(optionsIn({ [name]: value })).toMatchObject({ [name]: value });
  });

  test.each(['1', 3650])('accept %p days for the record of flights', (flightRetentionDays) => {
    expect(optionsIn({ flightRetentionDays }).flightRetentionDays).toBe(Number(flightRetentionDays));
  });

  test('count as unset when empty, so that a script can pass an unset variable', () => {
    expect(optionsIn({ pageTopicArn: '', domainName: '', certificateArn: '' })).toEqual(optionsIn({}));
  });

  test.each([
    ['removeDate', 'true', 'Context removeDate is not an option of this app; did you mean removeData?'],
    ['REMOVEDATA', 'true', 'Context REMOVEDATA is not an option of this app; did you mean removeData?'],
    ['domain', 'api.example.com', 'Context domain is not an option of this app; did you mean domainName?'],
    [
      'alarmTopicArn',
      'arn:aws:sns:eu-west-1:123456789012:on-call',
      'Context alarmTopicArn is no longer an option of this app: set pageTopicArn and ticketTopicArn instead.',
    ],
    ['colour', 'red', 'Context colour is not an option of this app'],
    ['removeData', 'yes', 'Context removeData must be true or false.'],
    ['shareBaseUrl', 7, 'Context shareBaseUrl must be a string.'],
    ['simulatedFleetSpeed', 'fast', 'Context simulatedFleetSpeed must be a number from 1 to 100.'],
    ['simulatedFleetRest', '21', 'Context simulatedFleetRest must be a number from 1 to 20.'],
    ['flightRetentionDays', '0', 'Context flightRetentionDays must be a whole number of days from 1 to 3650.'],
    ['flightRetentionDays', '3651', 'Context flightRetentionDays must be a whole number of days from 1 to 3650.'],
    ['flightRetentionDays', 1.5, 'Context flightRetentionDays must be a whole number of days from 1 to 3650.'],
    ['flightRetentionDays', 'long', 'Context flightRetentionDays must be a whole number of days from 1 to 3650.'],
    ['stage', 'Live', 'Context stage must be lower-case letters and digits, with single hyphens inside.'],
    ['stage', 'a--b', 'Context stage must be lower-case letters and digits, with single hyphens inside.'],
    ['stage', 'my-aws', 'Context stage must not contain aws, amazon or cognito.'],
    ['stage', 'x'.repeat(21), 'Context stage must have at most 20 characters.'],
    ['stage', 'my-edge', 'Context stage must not end in edge, as the stacks in us-east-1 do.'],
    ['eventRetentionDays', '0', 'Context eventRetentionDays must be a whole number of days from 1 to 365.'],
    ['eventRetentionDays', '2.5', 'Context eventRetentionDays must be a whole number of days from 1 to 365.'],
    ['maxWaitingCalls', '-1', 'Context maxWaitingCalls must be a whole number from 0 to 10000.'],
    ['maxWaitingCalls', '2.5', 'Context maxWaitingCalls must be a whole number from 0 to 10000.'],
    ['maxWaitingCalls', 'many', 'Context maxWaitingCalls must be a whole number from 0 to 10000.'],
    ['maxWaitingCalls', 10_001, 'Context maxWaitingCalls must be a whole number from 0 to 10000.'],
    ['maxFilesAtOnce', '0', 'Context maxFilesAtOnce must be a whole number from 1 to 35.'],
    ['maxFilesAtOnce', '36', 'Context maxFilesAtOnce must be a whole number from 1 to 35.'],
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
    ['tags', 'aws:owner=flight', 'Context tags must not have keys that begin with aws:.'],
    ['tags', 'owner=flight;ops', 'Context tags must consist of letters, digits, spaces and _.:/=+-@: owner does not.'],
    ['tags', `${'k'.repeat(129)}=1`, 'Context tags must have keys of at most 128 characters.'],
    ['tags', `owner=${'v'.repeat(257)}`, 'Context tags must have values of at most 256 characters: owner is longer.'],
    ['tags', 'Stage=live', 'Context tags must have each key once: stage is repeated.'],
    [
      'tags',
      Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, '1'])),
      'Context tags must be at most 48 tags.',
    ],
    ['platformPrincipalArn', '1234', 'Context platformPrincipalArn must be an account id or the ARN of a role.'],
    [
      'platformPrincipalArn',
      'arn:aws:iam::123456789012:user/one',
      'Context platformPrincipalArn must be an account id or the ARN of a role.',
    ],
    [
      'platformTargetArn',
      'arn:aws:sns:eu-west-1:123456789012:topic',
      'Context platformTargetArn must be the ARN of an event bus or of a standard queue.',
    ],
    [
      'platformTargetArn',
      'arn:aws:sqs:eu-west-1:123456789012:queue.fifo',
      'Context platformTargetArn must be the ARN of an event bus or of a standard queue.',
    ],
    ['permissionsBoundaryArn', 'bound', 'Context permissionsBoundaryArn must be the ARN of an IAM policy.'],
    [
      'permissionsBoundaryArn',
      'arn:aws:iam::123456789012:role/bound',
      'Context permissionsBoundaryArn must be the ARN of an IAM policy.',
    ],
    ['domainName', 'api.example.com', 'Context domainName and certificateArn belong together: set both or neither.'],
    [
      'certificateArn',
      certificate('eu-west-1'),
      'Context domainName and certificateArn belong together: set both or neither.',
    ],
    [
      'webSocketDomainName',
      'channels.example.com',
      'Context webSocketDomainName and webSocketCertificateArn belong together: set both or neither.',
    ],
    [
      'mqttCertificateArn',
      certificate('eu-west-1'),
      'Context mqttDomainName and mqttCertificateArn belong together: set both or neither.',
    ],
  ])('refuse %s=%s with one line that names the option', (name, value, message) => {
    expect(() => optionsIn({ [name]: value })).toThrow(new OptionError(message));
  });

  test('accept a certificate for CloudFront only from us-east-1', () => {
    const domain = { webSocketDomainName: 'channels.example.com' };
    const context = { ...domain, webSocketCertificateArn: certificate('eu-west-1') };
    expect(() => optionsIn(context)).toThrow(
      new OptionError('Context webSocketCertificateArn must be a certificate in us-east-1, as CloudFront requires.'),
    );
  });

  test('ignore the context of the CDK itself', () => {
    const cdk = {
      '@aws-cdk/core:newFlag': true,
      'aws:cdk:enable-path-metadata': true,
      'acknowledged-issue-numbers': [1],
    };
    expect(optionsIn(cdk)).toEqual(optionsIn({}));
  });

  test('fail synthesis with one line and no stack trace', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cdk.out-'));
    const env = { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"stagee":"live"}' };
    const run = () =>
      execFileSync(process.execPath, ['--require', 'tsx/cjs', 'bin/app.ts'], {
        cwd: join(__dirname, '../../..'),
        env,
        stdio: 'pipe',
      });
    expect(run).toThrow(
      expect.objectContaining({
        status: 1,
        stderr: Buffer.from('Context stagee is not an option of this app; did you mean stage?\n'),
      }) as Error,
    );
    rmSync(folder, { recursive: true });
  });
});

test('the stack of a stage is named after it', () => {
  expect([stackName(undefined), stackName('staging')]).toEqual(['DroneMissionApi', 'DroneMissionApi-staging']);
});
