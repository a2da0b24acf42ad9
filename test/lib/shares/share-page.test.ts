import { Stack } from 'aws-cdk-lib/core';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SharePage } from '../../../lib/shares/share-page';
import { newApp } from '../synthesised';

function synthesise(context: Record<string, string> = {}) {
  const app = newApp(context, false);
  const stack = new Stack(app, 'Page');
  const defaultBehavior = { origin: new HttpOrigin('example.com') };
  new SharePage(stack, 'SharePage', { removeData: false }).addTo(
    new cloudfront.Distribution(stack, 'Distribution', { defaultBehavior }),
    'https://example.com',
  );
  return { template: Template.fromStack(stack), folder: app.outdir };
}

/** Files for the bucket. */
const filesIn = (folder: string) => ({
  page: readdirSync(join(folder, 'viewer/page')),
  assets: readdirSync(join(folder, 'viewer/assets')).sort(),
});
const scriptIn = (folder: string) =>
  filesIn(folder)
    .assets.map((name) => readFileSync(join(folder, 'viewer/assets', name), 'utf8'))
    .join('\n');

function policyIn(template: Template): string {
  const [policy] = Object.values(template.findResources('AWS::CloudFront::ResponseHeadersPolicy'));
  return JSON.stringify(policy);
}

describe('The share page in the template', () => {
  const { template, folder } = synthesise();

  test('is in a bucket that only CloudFront reads', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
    });
    const [policy] = Object.values(template.findResources('AWS::S3::BucketPolicy'));
    const { Statement } = (policy?.['Properties'] as { PolicyDocument: { Statement: object[] } }).PolicyDocument;
    expect(Statement).toHaveLength(2);
    expect(Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 's3:GetObject',
        Principal: { Service: 'cloudfront.amazonaws.com' },
      }),
    ]);
  });

  test('is deployed after its assets, which browsers may cache forever', () => {
    const deployed = template.findResources('Custom::CDKBucketDeployment');
    const kinds = Object.values(deployed).map(({ Properties }) => {
      const { DestinationBucketKeyPrefix: prefix, SystemMetadata, Prune } = Properties as Record<string, unknown>;
      return { prefix, SystemMetadata, Prune };
    });
    expect(kinds).toEqual([
      {
        prefix: 'share/assets',
        SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
        Prune: false,
      },
      { prefix: 'share', SystemMetadata: { 'cache-control': 'no-store' }, Prune: false },
    ]);
    expect(Object.values(deployed)[1]?.['DependsOn']).toContain(Object.keys(deployed)[0]);
  });

  test('has the video player in a separate file, and file names that change with the content', () => {
    const { page, assets } = filesIn(folder);
    expect(page).toEqual(['index.html']);
    expect(assets.map((name) => name.replace(/-[0-9A-Z]{8}\./, '-HASH.'))).toEqual(
      expect.arrayContaining(['main-HASH.js', 'player-HASH.js', 'share-HASH.css']),
    );
  });

  test('includes the licences of all bundled packages and links to them', () => {
    const [file = ''] = filesIn(folder).assets.filter((name) => name.endsWith('.txt'));
    const licences = readFileSync(join(folder, 'viewer/assets', file), 'utf8');
    for (const name of ['hls.js', 'leaflet', 'uplot']) expect(licences).toContain(`${name}\n\n`);
    expect(licences).toMatch(/Apache License[^]*Volodymyr Agafonkin[^]*Leon Sorokin/);
    const html = readFileSync(join(folder, 'viewer/page/index.html'), 'utf8');
    expect(html).toContain(`<link rel="license" href="/share/assets/${file}" />`);
  });

  test('is the same each time, so that unchanged files are not deployed again', () => {
    const again = synthesise();
    expect(filesIn(again.folder)).toEqual(filesIn(folder));
    const keys = (one: Template) =>
      Object.values(one.findResources('Custom::CDKBucketDeployment')).map(
        ({ Properties }) => (Properties as Record<string, unknown>)['SourceObjectKeys'],
      );
    expect(keys(again.template)).toEqual(keys(template));
  });

  test('allows only its own scripts and styles', () => {
    expect(policyIn(template)).not.toMatch(/unsafe|\*(?!\.kinesisvideo)/);
    const html = readFileSync(join(folder, 'viewer/page/index.html'), 'utf8');
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?![^>]* src="\/share\/assets\/)/);
  });
});

describe('The map of the share page', () => {
  test('is OpenStreetMap by default, with attribution', () => {
    const { template, folder } = synthesise();
    expect(policyIn(template)).toContain("img-src 'self' data: https://tile.openstreetmap.org;");
    expect(scriptIn(folder)).toContain('https://www.openstreetmap.org/copyright');
  });

  const mapAttribution = '<a href="https://tiles.example.com/credits">Example maps</a>';

  test.each([
    ['an attribution without a server', { mapAttribution }, 'mapAttribution needs mapTileUrl'],
    ['an attribution without tiles', { mapTileUrl: 'none', mapAttribution }, 'mapAttribution needs mapTileUrl'],
    ['a server without an attribution', {}, 'needs mapAttribution'],
    ['a server whose attribution has no link', { mapAttribution: 'Example maps' }, 'needs mapAttribution'],
  ])('is refused with %s', (_, context, message) => {
    const mapTileUrl = 'https://tiles.example.com/{z}/{x}/{y}.png';
    const server = message.startsWith('needs') ? { mapTileUrl } : {};
    expect(() => synthesise({ ...server, ...context })).toThrow(message);
  });

  test('comes from the server of the deployment option', () => {
    const mapTileUrl = 'https://{s}.tiles.example.com/{z}/{x}/{y}.png?key=abc';
    const { template, folder } = synthesise({ mapTileUrl, mapAttribution });
    expect(policyIn(template)).toContain("img-src 'self' data: https://*.tiles.example.com;");
    expect(scriptIn(folder)).toContain(mapTileUrl);
    expect(scriptIn(folder)).toContain('https://tiles.example.com/credits');
    expect(scriptIn(folder)).not.toContain('openstreetmap.org');
  });

  test('has no tiles with mapTileUrl=none', () => {
    const { template, folder } = synthesise({ mapTileUrl: 'none' });
    expect(policyIn(template)).toContain("img-src 'self' data:;");
    expect(scriptIn(folder)).not.toContain('openstreetmap.org');
  });

  test.each(['http://tiles.example.com/{z}/{x}/{y}', 'https://tiles.example.com/{z}/{x}', `https://a'; b/{z}/{x}/{y}`])(
    'refuses the URL %s',
    (mapTileUrl) => expect(() => synthesise({ mapTileUrl, mapAttribution })).toThrow('mapTileUrl must be'),
  );
});
