import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { App, Stack } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCloudFront, type Origin } from 'cloud-assembly-runner/cloudfront';
import { deploy } from 'cloud-assembly-runner/cloudformation/deploy';
import { createIam } from 'cloud-assembly-runner/iam';
import { createS3 } from 'cloud-assembly-runner/s3';
import { withoutBucketDeployer } from 'cloud-assembly-runner/s3/without-bucket-deployer';
import { readAssembly } from 'cloud-assembly-runner/cloudformation/template';
import { launchBrowser, openPage, type MonitoredPage, waitForText } from './browser';
import { createFakeShareSocket, type FakeShareSocket } from './fake-share-socket';
import cdkJson from '../../cdk.json';
import { SharePage } from '../../lib/shares/share-page';

/**
 * Serves the share page with a fake socket, and runs a browser, for all tests of a `describe`. After each test its pages are
 * closed and the socket accepts connections again.
 */
export function sharePageForAllTests() {
  const socket = createFakeShareSocket();
  const opened: MonitoredPage[] = [];
  let served: ServedPage;
  let browser: Browser;

  beforeAll(async () => {
    [served, browser] = await Promise.all([servePage({ socket: socket.origin }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await served.stop();
  });
  afterEach(async () => {
    socket.up();
    await Promise.all(opened.splice(0).map(({ page }) => page.context().close()));
  });

  return {
    socket,
    /** `http://127.0.0.1:<port>` */
    get url() {
      return served.url;
    },
    /** Opens an empty page in a context of its own. */
    async newPage(options?: BrowserContextOptions): Promise<MonitoredPage> {
      const monitored = await openPage(browser, options);
      opened.push(monitored);
      return monitored;
    },
  };
}

/** The same, with pages that must report no error by the end of their test. */
export function livePagesForAllTests() {
  const site = sharePageForAllTests();
  const monitored: MonitoredPage[] = [];
  beforeEach(() => monitored.splice(0));
  afterEach(() => expect(monitored.flatMap(({ errors }) => errors)).toEqual([]));

  /** Opens an empty page. */
  const newPage = async (options?: BrowserContextOptions): Promise<Page> => {
    const opened = await site.newPage(options);
    monitored.push(opened);
    return opened.page;
  };
  return {
    site,
    newPage,
    /** Opens the page of a share, and waits until it is live. */
    async open(code: string, options?: BrowserContextOptions): Promise<Page> {
      const page = await newPage(options);
      await page.goto(`${site.url}/share/${code}`);
      await waitForText(page, 'connection', 'live');
      return page;
    },
  };
}

/** A sample without its timestamp: a drone's round over a quarry, so many seconds after take-off. */
export function flight(seconds: number) {
  const round = seconds / 60;
  const radius = Math.min(1, seconds / 20) * (0.0016 + 0.0004 * Math.sin(round * 7));
  const angle = round * 2.1;
  const latitude = 47.3769 + radius * Math.cos(angle) * 0.7;
  const longitude = 8.5417 + radius * Math.sin(angle) * 1.4;
  const altitude = 408 + Math.min(72, seconds * 2.4) + 6 * Math.sin(seconds / 9);
  const groundSpeed = Math.min(11, seconds * 0.8) + 1.4 * Math.sin(seconds / 4);
  return {
    droneState: 'WAYPOINT',
    dockState: 'OPEN',
    navigation: {
      position: { type: 'Point', coordinates: [longitude, latitude, altitude] },
      orientation: { heading: ((angle * 180) / Math.PI + 100) % 360, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: Math.max(0, groundSpeed), verticalSpeed: Math.cos(seconds / 9) * 0.7 },
    },
    battery: {
      percent: Math.max(5, 92 - seconds / 12),
      voltage: 23.1,
      remainingFlightTime: Math.max(60, 1500 - seconds),
    },
    weather: { windSpeed: 4.2, windDirection: 245, temperature: 11.5, humidity: 63, rain: 0 },
  };
}

/** Every state of the share page that a viewer can see. */
export const pageStates = ['loading', 'live', 'silent', 'ended', 'full', 'not-found', 'reconnecting'] as const;
export type PageState = (typeof pageStates)[number];

const SAMPLES = 180;
const CODE = 'share-state';

/** What the server knows of a drone that has flown for three minutes over a quarry, and reported until then. */
export function knownFlight(reportedSecondsAgo = 0) {
  const began = Date.now() - SAMPLES * 1000;
  return {
    deviceName: 'Kestrel 1',
    jobName: 'Roof survey',
    takeOff: { timestamp: new Date(began).toISOString(), altitude: 408 },
    track: Array.from({ length: (SAMPLES - reportedSecondsAgo) / 2 }, (_, index) => {
      const { position, velocity } = flight(index * 2).navigation;
      const timestamp = new Date(began + index * 2000).toISOString();
      return { timestamp, coordinates: position.coordinates, groundSpeed: velocity.groundSpeed };
    }),
  };
}

/** Sends a sample of that flight, so that the page is not silent for another five seconds. */
export function report(socket: FakeShareSocket, secondsAgo = 0): void {
  const timestamp = new Date(Date.now() - secondsAgo * 1000).toISOString();
  socket.publish(CODE, { ...flight(SAMPLES - secondsAgo), timestamp });
}

/**
 * Opens the page of a share in an empty browser page and brings it into a state. The server is down after `loading` and
 * `reconnecting`, until `socket.up()`.
 * @param url `http://127.0.0.1:<port>` of the served page
 */
export async function openInState(page: Page, url: string, socket: FakeShareSocket, state: PageState): Promise<void> {
  const silence = state === 'silent' ? 12 : 0;
  if (state === 'loading') socket.down();
  if (state !== 'not-found')
    socket.share(CODE, {
      permissions: ['view', 'control'],
      maxViewers: state === 'full' ? 1 : 10,
      flight: () => knownFlight(silence),
    });
  if (silence) report(socket, silence);
  const browser = page.context().browser();
  if (state === 'full' && browser) {
    const { page: first } = await openPage(browser);
    page.context().on('close', () => void first.context().close());
    await first.goto(`${url}/share/${CODE}`);
    await waitForText(first, 'connection', 'live');
  }
  await page.goto(`${url}/share/${state === 'not-found' ? 'share-none' : CODE}`);
  if (['live', 'ended', 'reconnecting'].includes(state)) {
    await waitForText(page, 'connection', 'live');
    report(socket);
    await waitForText(page, 'altitude', '485.5 m');
  }
  if (state === 'reconnecting') socket.down();
  if (state === 'ended') socket.end(CODE, 'EXPIRED');
  const shown = state === 'loading' ? 'reconnecting' : state === 'silent' ? 'live' : state;
  await waitForText(page, 'connection', shown);
}

export interface ServedPage {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServedPageOptions {
  /** Answers everything but the page. */
  readonly socket: Origin;
  readonly context?: Readonly<Record<string, unknown>>;
}

const SOCKET = 'socket.example.com';

/** Synthesises the share page and serves it as the local stack does: bucket, headers, paths and compression. */
export async function servePage({ socket, context = {} }: ServedPageOptions): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'share-page-'));
  const app = new App({
    builtinCloudFormationValidation: false,
    context: { ...cdkJson.context, ...context },
    outdir: folder,
  });
  const stack = new Stack(app, 'Page');
  const distribution = new cloudfront.Distribution(stack, 'Distribution', {
    defaultBehavior: {
      origin: new HttpOrigin(SOCKET),
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    },
  });
  new SharePage(stack, 'SharePage', { removeData: false }).addTo(distribution, `https://${distribution.domainName}`);
  app.synth();

  const s3 = createS3({ region: 'eu-central-1', assemblyFolder: folder, dataFolder: folder });
  const cloudFront = createCloudFront({
    accountId: '000000000000',
    portOf: () => 0,
    originOf: (domain) => (domain === SOCKET ? socket : s3.originOf(domain)),
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const noLambda = { types: ['AWS::Lambda::Function'], create: () => ({ ref: 'none' }) };
  const services = [createIam(), s3, withoutBucketDeployer(noLambda), cloudFront];
  const outputs = await deploy(readAssembly(folder), services, {
    baseUrl: '',
    identityUrl: '',
    endpointUrl: '',
    mqttUrl: '',
    videoUrl: '',
    isWebSocketApi: () => false,
    distributionAt: (domain) => cloudFront.addressOf(domain),
  });
  await cloudFront.start?.();
  return {
    url: outputs['ShareBaseUrl'] ?? '',
    async stop() {
      await cloudFront.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}
