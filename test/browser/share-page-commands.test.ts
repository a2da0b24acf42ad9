import type { Page } from 'playwright-core';
import { phone, waitForText, type MonitoredPage, axeFindings } from './browser';
import type { FakeShare } from './fake-share-socket';
import { sharePageForAllTests, flight } from './share-page-fixture';

const CODE = 'share-commands';
const everything = ['PAUSE', 'RESUME', 'RETURN_HOME', 'LAND', 'TAKE_PHOTO', 'START_RECORDING', 'STOP_RECORDING'];

describe('The share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let monitored: MonitoredPage;
  let page: Page;
  let before = 0;

  /** Opens the page of a drone in flight whose viewers may send commands. */
  async function open(share: FakeShare = {}, options?: Parameters<typeof site.newPage>[0], droneState = 'WAYPOINT') {
    socket.share(CODE, { permissions: ['view', 'control'], ...share });
    monitored = await site.newPage(options);
    ({ page } = monitored);
    await page.goto(`${site.url}/share/${CODE}`);
    await waitForText(page, 'connection', 'live');
    socket.publish(CODE, { ...flight(60), droneState });
    await waitForText(page, 'altitude', '482.2 m');
    before = socket.received.length;
  }

  /** Something of each button. */
  const ofButtons = <Value>(expression: string) =>
    page.evaluate<Value[]>(`[...document.querySelectorAll('#commands button')].map((one) => one.${expression})`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  /** Waits until the line under a button reads so. */
  const line = (name: string, text: string) =>
    page
      .locator('#commands div', { has: button(name) })
      .getByText(text, { exact: true })
      .waitFor({ timeout: 5000 });
  const announced = (text: string) => page.locator('#announcer', { hasText: text }).waitFor({ state: 'attached' });
  const sent = () => socket.received.slice(before).map(({ command }) => command);
  const requestId = () => `request-${socket.received.length}`;

  const expectSent = async (count: number) => {
    for (let n = 0; n < 50 && sent().length < count; n++) await page.waitForTimeout(20);
    expect(sent()).toHaveLength(count);
  };
  /** Holds keys on a button for half a second, as a keyboard repeats them. */
  async function holdKey(of: ReturnType<typeof button>, ...keys: string[]): Promise<void> {
    await of.focus();
    for (let n = 0; n < 15; n++) {
      for (const key of keys) await page.keyboard.down(key);
      await page.waitForTimeout(33);
    }
    for (const key of keys) await page.keyboard.up(key);
  }

  /** Keeps the mouse on a button for a time in ms. */
  async function hold(name: string, milliseconds: number): Promise<void> {
    await button(name).hover();
    await page.mouse.down();
    await page.waitForTimeout(milliseconds);
    await page.mouse.up();
  }

  test.each([
    ['all but LAND without a list', undefined, everything.filter((name) => name !== 'LAND')],
    ['those of the list', ['RETURN_HOME', 'PAUSE', 'GO_TO', 'GIMBAL', 'LAND'], ['PAUSE', 'RETURN_HOME', 'LAND']],
    ['the platform’s own', ['x-siren'], ['x-siren']],
  ])('has a button for each command without parameters that the share permits: %s', async (_, commands, expected) => {
    await open(commands ? { commands } : {});
    expect(await ofButtons('value')).toEqual(expected);
  });

  test('has no button without the permission', async () => {
    await open({ permissions: ['view'], commands: ['PAUSE'] });
    expect(await ofButtons('value')).toEqual([]);
    expect(await page.locator('#controls').isVisible()).toBe(false);
  });

  test('sends a command at one press, and says under the button and to screen readers what becomes of it', async () => {
    await open();
    await button('Pause').click();
    await line('Pause', 'On its way');
    expect(sent()).toEqual([{ name: 'PAUSE' }]);
    await announced('Pause: On its way');
    socket.outcome(CODE, { requestId: 'of-somebody-else', name: 'PAUSE', outcome: 'FAILED' });
    socket.outcome(CODE, { requestId: requestId(), name: 'PAUSE', outcome: 'DELIVERED' });
    await line('Pause', 'The drone has begun…');
    socket.outcome(CODE, { requestId: requestId(), name: 'PAUSE', outcome: 'DONE' });
    await line('Pause', 'The drone stands');
    await announced('Pause: The drone stands');
    socket.outcome(CODE, { requestId: requestId(), name: 'PAUSE', outcome: 'DELIVERED' });
    await button('Resume').click();
    await line('Resume', 'On its way');
    socket.outcome(CODE, { requestId: requestId(), name: 'RESUME', outcome: 'REFUSED', reason: 'TOO_LATE' });
    await line('Resume', 'Refused. It came too late: press again if you still want it.');
    await line('Pause', '');
    expect(monitored.errors).toEqual([]);
  });

  test.each<[how: string, press: (of: ReturnType<typeof button>) => Promise<void>]>([
    ['a double click', (of) => of.dblclick()],
    ['ten clicks at once', (of) => of.click({ clickCount: 10 })],
    ['Enter that is held', (of) => holdKey(of, 'Enter')],
    ['Space that is held', (of) => holdKey(of, 'Space')],
    ['Enter and Space at once', (of) => holdKey(of, 'Enter', 'Space')],
    [
      'a second press while it is on its way',
      async (of) => {
        await of.click();
        await page.waitForTimeout(700);
        await of.click();
      },
    ],
  ])('sends one command at %s', async (_, press) => {
    await open({ commands: [...everything, 'x-siren'] });
    const once = ['Pause', 'Resume', 'Take photo', 'Start recording', 'Stop recording', 'x-siren'];
    socket.publish(CODE, { ...flight(61), droneState: 'HOVER' });
    for (const name of once) {
      before = socket.received.length;
      await press(button(name));
      await line(name, 'On its way');
      await page.waitForTimeout(100);
      expect([name, sent().length]).toEqual([name, 1]);
    }
  });

  test('sends a stop again after two seconds, although the first is on its way', async () => {
    await open();
    for (const wait of [700, 1500]) {
      await button('Pause').click();
      await line('Pause', 'On its way');
      await page.waitForTimeout(wait);
    }
    await button('Pause').click();
    await expectSent(2);
    expect(sent()).toEqual([{ name: 'PAUSE' }, { name: 'PAUSE' }]);
  });

  test('ends a flight only when the button is held', async () => {
    await open();
    await hold('Return home', 300);
    await line('Return home', 'Press again to confirm');
    expect(sent()).toEqual([]);
    await page.mouse.move(0, 0);
    await hold('Return home', 1500);
    await line('Return home', 'On its way');
    expect(sent()).toEqual([{ name: 'RETURN_HOME' }]);
  });

  test.each(['Enter', 'Space'])('ends a flight when %s is held, and not before', async (key) => {
    await open({ commands: everything });
    await button('Land here').focus();
    await page.keyboard.down(key);
    // As a keyboard repeats it.
    await page.keyboard.down(key);
    await line('Land here', 'Keep holding…');
    expect(sent()).toEqual([]);
    await line('Land here', 'On its way');
    await page.keyboard.up(key);
    expect(sent()).toEqual([{ name: 'LAND' }]);
  });

  test('ends a flight at a second press, but not at a double click', async () => {
    await open();
    await button('Return home').dblclick();
    await line('Return home', 'Press again to confirm');
    await announced('Return home: Press again to confirm');
    expect(sent()).toEqual([]);
    await page.waitForTimeout(600);
    // As a screen reader does it.
    await page.evaluate(`document.querySelector('[value=RETURN_HOME]').click()`);
    await line('Return home', 'On its way');
    expect(sent()).toEqual([{ name: 'RETURN_HOME' }]);
  });

  test('forgets a first press when the focus leaves the button, and says how to confirm', async () => {
    await open();
    await line('Return home', 'Hold, or press twice');
    const described = await button('Return home').getAttribute('aria-describedby');
    expect(await page.locator(`#${described?.split(' ')[0] ?? ''}`).textContent()).toBe('Hold, or press twice');
    await button('Return home').press('Enter');
    await line('Return home', 'Press again to confirm');
    await page.keyboard.press('Tab');
    await line('Return home', 'Hold, or press twice');
    expect(sent()).toEqual([]);
  });

  test.each([
    [{ code: 'cannot_command', error: 'cannot_command' }, 'Refused. Not possible now: see what the drone does.'],
    [{ code: 'too_many_requests' }, 'Not sent, too many commands: wait a minute, then press again.'],
    [{ code: 'forbidden' }, 'Not sent. This link does not allow it: ask its sender.'],
    [
      { code: 'held_by', error: 'held_by', details: [{ path: 'name', message: 'the gate has it until 10:42' }] },
      'Refused: the gate has it until 10:42',
    ],
    [{ code: 'toString', error: 'Something new' }, 'Refused: Something new'],
    [{ code: 'new' }, 'Not sent: press again.'],
  ])('shows a refusal at the button: %j', async (refusal, text) => {
    await open({ control: () => ({ type: 'error', ...refusal }) });
    await button('Pause').click();
    await line('Pause', text);
    await announced(`Pause: ${text}`);
  });

  test('blocks the buttons on the ground, and says why', async () => {
    await open({}, {}, 'DOCKED');
    await page.getByText('The drone is on the ground.', { exact: true }).waitFor();
    for (const name of ['Pause', 'Return home']) expect(await button(name).isDisabled()).toBe(true);
    await button('Pause').press('Enter');
    await announced('Pause: The drone is on the ground.');
    await line('Return home', '');
    await button('Return home').press('Enter');
    await announced('Return home: The drone is on the ground.');
    socket.publish(CODE, { ...flight(90), droneState: 'HOVER' });
    await page.locator('#control-note').waitFor({ state: 'hidden' });
    for (const name of ['Pause', 'Resume']) expect(await button(name).isDisabled()).toBe(false);
    expect(sent()).toEqual([]);
  });

  test('blocks the buttons without a connection, keeps the focus and what became of commands', async () => {
    await open();
    await button('Pause').click();
    await line('Pause', 'On its way');
    const pause = requestId();
    socket.down();
    await page.getByText('Not connected: wait until the page is live.', { exact: true }).waitFor();
    await line('Pause', 'Connection lost, outcome unknown: see what the drone does.');
    expect(await button('Pause').isDisabled()).toBe(true);
    expect(await page.evaluate('document.activeElement.value')).toBe('PAUSE');
    socket.up();
    await waitForText(page, 'connection', 'live');
    await page.locator('#control-note').waitFor({ state: 'hidden' });
    socket.outcome(CODE, { requestId: pause, name: 'PAUSE', outcome: 'DONE' });
    await line('Pause', 'The drone stands');
    expect(await button('Pause').isDisabled()).toBe(false);
  });

  test('speaks German', async () => {
    await open({ commands: everything }, { locale: 'de-CH' });
    await button('Anhalten').click();
    await line('Anhalten', 'Unterwegs');
    await line('Hier landen', 'Halten oder zweimal drücken');
  });

  const looks = [
    ['a phone', { ...phone, viewport: { width: 320, height: 640 } }],
    ['a desktop', {}],
  ] as const;
  test.each(
    looks.flatMap(([device, options]) =>
      (['light', 'dark'] as const).map((colours) => [device, colours, options] as const),
    ),
  )('on %s, %s, has large buttons, and no axe finding in any state', async (_, colorScheme, options) => {
    await open({ commands: [...everything, `x-${'long-name'.repeat(6)}`] }, { ...options, colorScheme });
    const check = async () => expect(await axeFindings(page, 'any')).toEqual([]);
    await check();
    await button('Pause').click();
    await line('Pause', 'On its way');
    await check();
    socket.outcome(CODE, { requestId: requestId(), outcome: 'TIMED_OUT', name: 'PAUSE' });
    await button('Return home').click();
    await line('Return home', 'Press again to confirm');
    await check();
    await button('Take photo').click();
    await line('Take photo', 'On its way');
    socket.outcome(CODE, { requestId: requestId(), outcome: 'DONE', name: 'TAKE_PHOTO' });
    await line('Take photo', 'Photo taken');
    await check();
    for (const { width, height } of await ofButtons<{ width: number; height: number }>(
      'getBoundingClientRect().toJSON()',
    ))
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    const width = page.viewportSize()?.width;
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });
});
