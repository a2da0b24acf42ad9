import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment } from 'aws-cdk-lib/aws-s3-deployment';
import { assetFolder, addBuilt } from '../../../lib/docs/asset-folder';
import { builtSource } from '../../../lib/docs/built-files';
import { newApp } from '../synthesised';

const HASH = 'a'.repeat(64);

describe('Files that are built from sources', () => {
  let built: string;
  beforeAll(() => {
    built = mkdtempSync(join(tmpdir(), 'built-files-'));
    writeFileSync(join(built, 'index.html'), 'built');
  });
  afterAll(() => rmSync(built, { recursive: true }));

  /** An app that deploys them, with a choice of the stacks that the CDK bundles. */
  function synthesise(bundled: readonly string[]) {
    const build = jest.fn(() => built);
    const app = newApp({ 'aws:cdk:bundling-stacks': bundled }, false);
    const stack = new Stack(app, 'Site');
    // IBucket does not allow for exactOptionalPropertyTypes.
    const destinationBucket = new Bucket(stack, 'Bucket') as IBucket;
    new BucketDeployment(stack, 'Deployment', { destinationBucket, sources: [builtSource({ hash: HASH, build })] });
    const { template } = app.synth().getStackByName('Site') as { template: unknown };
    const manifest = JSON.parse(readFileSync(join(app.outdir, 'Site.assets.json'), 'utf8')) as {
      files: Record<string, { source: unknown }>;
    };
    return { template, manifest, build, folder: assetFolder(app.outdir, HASH), stack };
  }

  test.each([
    ['are built for the assembly by default', ['**'], true],
    ['are left out where the CDK bundles nothing', [], false],
  ])('%s', (_, bundled, isThere) => {
    const { build, folder, manifest } = synthesise(bundled);
    expect(build).toHaveBeenCalledTimes(isThere ? 1 : 0);
    expect(existsSync(join(folder, 'index.html'))).toBe(isThere);
    expect(manifest.files[HASH]?.source).toEqual({ path: `asset.${HASH}`, packaging: 'zip' });
  });

  test('are in the same template, whether built or not', () => {
    expect(synthesise([]).template).toEqual(synthesise(['**']).template);
  });

  test('can be read by the function that deploys them', () => {
    const { stack } = synthesise([]);
    const template = Template.fromStack(stack);
    const [deployment] = Object.values(template.findResources('Custom::CDKBucketDeployment'));
    expect((deployment?.['Properties'] as Record<string, unknown>)['SourceObjectKeys']).toEqual([`${HASH}.zip`]);
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies).toMatch(/"s3:GetObject\*".*cdk-hnb659fds-assets-/);
  });
});

describe('addBuilt', () => {
  let assembly: string;
  let built: string;
  beforeEach(() => {
    [assembly = '', built = ''] = ['assembly-', 'built-'].map((name) => mkdtempSync(join(tmpdir(), name)));
    writeFileSync(join(built, 'index.html'), 'built');
  });
  afterEach(() => [assembly, built].forEach((folder) => rmSync(folder, { recursive: true })));

  test.each([
    { there: 'nothing', prepare: () => undefined },
    { there: 'what another process added first', prepare: () => addBuilt(assembly, 'a', built) },
    {
      there: 'half of what a killed process of this id copied',
      prepare: () =>
        mkdirSync(join(`${assetFolder(assembly, 'a')}.copying-${process.pid}`, 'half'), { recursive: true }),
    },
  ])('adds the files beside $there, and leaves nothing else', ({ prepare }) => {
    prepare();
    addBuilt(assembly, 'a', built);
    expect(readdirSync(assembly, { recursive: true })).toEqual(['asset.a', join('asset.a', 'index.html')]);
  });

  test('throws when it can add nothing', () => {
    expect(() => addBuilt(join(assembly, 'none'), 'a', join(built, 'none'))).toThrow('ENOENT');
  });
});
