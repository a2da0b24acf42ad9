import { createAnnouncer } from './announcer';
import { createChart } from './chart';
import { createControls } from './controls';
import { mergeSample } from './device-state';
import { element, setText } from './element';
import { showFigures } from './figures';
import { createHistory } from './history';
import type { Message, ShareStatus, Telemetry } from './messages';
import { showNotice } from './notice';
import { createShareClock } from './share-clock';
import { openShareSocket, type Connection, type Ending } from './share-socket';
import { createTrackMap } from './track-map';
import { createVideo } from './video';

/** The page is at `/share/<code>`; the code is used in the socket's URL only. */
const shareCode = location.pathname.split('/')[2] ?? '';
const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/telemetry?shareCode=${shareCode}`;
/** Intervals of redrawing, in ms; a drone may report ten times a second. */
const DRAW_EVERY_MS = 100;
const DRAW_CHARTS_EVERY_MS = 500;

const history = createHistory();
const announcer = createAnnouncer(element('announcer', HTMLElement));
const map = createTrackMap(element('map', HTMLElement), element('follow', HTMLButtonElement));
const altitudeChart = createChart(element('altitude-chart', HTMLElement), 10);
const speedChart = createChart(element('speed-chart', HTMLElement), 5);
const clock = createShareClock();
const video = createVideo({ requestSession: () => socket.send({ action: 'playback' }), now: () => clock.now() });
const controls = createControls((message) => socket.send(message));

let latest: Telemetry | undefined;
let drawn: Telemetry | undefined;

const socket = openShareSocket(address, { onMessage, onConnection: showConnection });
setInterval(draw, DRAW_EVERY_MS);
setInterval(drawCharts, DRAW_CHARTS_EVERY_MS);
element('retry', HTMLButtonElement).addEventListener('click', () => socket.retry());

function onMessage(message: Message): void {
  if (message.type === 'device.telemetry') onSample(message);
  else if (message.type === 'share.status') showShare(message);
  else if (message.type === 'share.playback') video.onPlayback(message);
  else if (message.type === 'control.outcome') controls.onOutcome(message);
  else controls.onAnswer(message);
}

function onSample(sample: Telemetry): void {
  // A snapshot after a reconnect may be older than the known state.
  if (latest && Date.parse(sample.timestamp) < Date.parse(latest.timestamp)) return;
  latest = mergeSample(latest, sample);
  clock.onSample(sample);
  const { position, velocity } = sample.navigation ?? {};
  if (position ?? velocity) {
    history.add({
      at: Date.parse(sample.timestamp) / 1000,
      altitude: latest.navigation?.position?.coordinates[2] ?? null,
      speed: latest.navigation?.velocity?.groundSpeed ?? null,
    });
  }
  const [longitude, latitude] = position?.coordinates ?? [];
  const heading = latest.navigation?.orientation?.heading;
  if (longitude !== undefined && latitude !== undefined) map.move({ longitude, latitude, heading });
}

function showShare(share: ShareStatus): void {
  const active = share.shareState === 'ACTIVE';
  setText(element('viewers', HTMLElement), active ? `${share.currentViewers} of ${share.maxViewers}` : '–');
  clock.onShare(share);
  if (share.shareType === 'STREAM') video.enable();
  if (share.permissions) controls.show(share.permissions.includes('control'));
}

function showConnection(connection: Connection, ending?: Ending): void {
  const pill = element('connection', HTMLElement);
  pill.dataset['state'] = connection;
  setText(pill, connection);
  document.body.dataset['connection'] = connection;
  controls.setConnected(connection === 'live');
  clock.setConnected(connection === 'live');
  if (connection === 'ended') video.end();
  announcer.announce(showNotice({ connection, ending, hasSample: latest !== undefined }));
}

function draw(): void {
  clock.show();
  if (!latest || latest === drawn) return;
  drawn = latest;
  map.draw();
  showFigures(latest);
  announcer.announceFigures(latest);
}

function drawCharts(): void {
  altitudeChart.draw(history.at, history.altitude);
  speedChart.draw(history.at, history.speed);
}
