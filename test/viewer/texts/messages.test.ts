import { noticeFor, type ConnectionState } from '../../../viewer/notice';
import { de } from '../../../viewer/texts/de';
import { en } from '../../../viewer/texts/en';
import type { Texts } from '../../../viewer/texts/texts';

/** What a message tells the viewer to do, and the words of it in English and German. */
const actions = {
  wait: [
    /\b[Ww]ait\b|by itself|keeps trying|Trying again/,
    /\b[Ww]arten\b|von selbst|versucht es weiter|Neuer Versuch/,
  ],
  ask: [/\b[Aa]sk\b/, /\b(Bitten|Fragen) Sie\b/],
  checkInternet: [/check your internet connection/, /prüfen Sie\b.* Ihre Internetverbindung/],
  pressAgain: [/press again|Press again/, /[Dd]rücken Sie\b.* erneut|Nochmals drücken/],
  reload: [/[Rr]eload/, /Laden Sie die Seite neu/],
  watch: [/watch|[Ss]ee what the drone does|look at the drone/, /Folgen Sie|Sehen Sie/],
  nothing: [/./, /./],
  /** The sentence after it tells. */
  seeNext: [/./, /./],
  /** The drone can't: there is nothing to be done. */
  accept: [/cannot/, /kann das nicht/],
} as const satisfies Readonly<Record<string, readonly [RegExp, RegExp]>>;

/** Every message that the page can show. */
const told: Readonly<Record<string, keyof typeof actions>> = {
  'notices.live': 'nothing',
  'notices.connecting': 'checkInternet',
  'notices.reconnecting': 'checkInternet',
  'notices.revoked': 'ask',
  'notices.expired': 'ask',
  'notices.ended': 'ask',
  'notices.full': 'wait',
  'notices.notFound': 'ask',
  'notices.old': 'wait',
  'notices.noReport': 'wait',
  'notices.removed': 'ask',
  'map.unavailable': 'wait',
  'map.failed': 'reload',
  'charts.unavailable': 'reload',
  'video.interrupted': 'seeNext',
  'video.tryingAgain': 'wait',
  'video.notLoaded': 'seeNext',
  'video.none': 'wait',
  'video.noStream': 'watch',
  'video.ended': 'ask',
  'controls.confirm': 'nothing',
  'controls.holding': 'nothing',
  'controls.pressAgain': 'pressAgain',
  'controls.sending': 'nothing',
  'controls.onItsWay': 'nothing',
  'controls.noAnswer': 'watch',
  'controls.connectionLost': 'watch',
  'controls.notSent': 'pressAgain',
  'controls.forbidden': 'ask',
  'controls.shareEnded': 'ask',
  'controls.tooMany': 'pressAgain',
  'controls.notNow': 'watch',
  'controls.notSupported': 'accept',
  'controls.refusedBecause': 'seeNext',
  'controls.DONE': 'nothing',
  'controls.REFUSED': 'seeNext',
  'controls.FAILED': 'seeNext',
  'controls.DELIVERED': 'nothing',
  'controls.TIMED_OUT': 'watch',
  'controls.SUPERSEDED': 'nothing',
  'controls.withoutReason': 'ask',
  'blocked.notConnected': 'wait',
  'blocked.ended': 'nothing',
  'blocked.onTheGround': 'nothing',
  'blocked.notReported': 'wait',
  'blocked.fliesAlready': 'nothing',
  'reasons.NOT_SUPPORTED': 'accept',
  'reasons.NOT_ALLOWED': 'ask',
  'reasons.DEVICE_OFFLINE': 'pressAgain',
  'reasons.DEVICE_BUSY': 'pressAgain',
  'reasons.TOO_LATE': 'pressAgain',
  'reasons.DEVICE_FAULT': 'ask',
  'reasons.OUT_OF_ORDER': 'nothing',
  'reasons.OUT_OF_RANGE': 'nothing',
  'reasons.SHARE_ENDED': 'nothing',
};

/** Messages by their path in the texts. */
function messagesOf(texts: Texts): Record<string, string> {
  const { refusedBecause, ...controls } = texts.controls;
  const notices = Object.entries(texts.notices).map(
    ([name, { title, advice }]) => [name, `${title} ${advice}`] as const,
  );
  const groups = {
    notices: Object.fromEntries(notices),
    map: texts.map,
    charts: texts.charts,
    video: texts.video,
    controls: { ...controls, refusedBecause: refusedBecause('held by another viewer') },
    blocked: texts.blocked,
    reasons: texts.reasons,
  };
  return Object.fromEntries(
    Object.entries(groups).flatMap(([group, messages]) =>
      Object.entries(messages).map(([name, text]) => [`${group}.${name}`, text] as const),
    ),
  );
}

describe('The messages of the share page', () => {
  test('are all listed here', () => {
    expect(Object.keys(messagesOf(en)).sort()).toEqual(Object.keys(told).sort());
  });

  test.each(Object.entries(told))('%s tells the viewer in both languages: %s', (name, action) => {
    const [english, german] = actions[action];
    expect(messagesOf(en)[name]).toMatch(english);
    expect(messagesOf(de)[name]).toMatch(german);
  });
});

describe('noticeFor', () => {
  const state: ConnectionState = { connection: 'live', ending: undefined, wasLive: true, places: undefined };
  test.each<[Partial<ConnectionState>, string]>([
    [{}, 'Connected.'],
    [{ connection: 'reconnecting', wasLive: false }, 'Connecting…'],
    [{ connection: 'reconnecting' }, 'Connection lost.'],
    [{ connection: 'full' }, 'All places are taken.'],
    [{ connection: 'full', places: 10 }, 'All 10 places are taken.'],
    [{ connection: 'full', places: 1 }, 'The only place is taken.'],
    [{ connection: 'not-found' }, 'There is no such share.'],
    [{ connection: 'ended', ending: 'REVOKED' }, 'This share has ended.'],
  ])('with %j is titled %s', (change, title) => expect(noticeFor(en, { ...state, ...change }).title).toBe(title));

  test.each([
    ['REVOKED', en.notices.revoked],
    ['EXPIRED', en.notices.expired],
    [undefined, en.notices.ended],
  ] as const)('tells why a share has ended: %s', (ending, notice) => {
    expect(noticeFor(en, { ...state, connection: 'ended', ending })).toBe(notice);
  });
});
