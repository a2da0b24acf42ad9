import { createFakeShareSocket } from '../test/viewer/fake-share-socket';
import { servePage } from '../test/viewer/served-page';
import { launchBrowser, openPage } from '../test/viewer/browser';
import { startFakeVideo } from '../test/viewer/fake-video';
(async () => {
  const socket = createFakeShareSocket();
  const video = await startFakeVideo();
  const served = await servePage({ socket: socket.origin, videoHost: video.host });
  const browser = await launchBrowser();
  socket.share('share-v', { shareType: 'STREAM', playback: () => ({ playback: { url: video.session(), expiresAt: new Date(Date.now() + 300_000).toISOString() } }) });
  const { page, complaints, requests } = await openPage(browser, {});
  page.on('console', m => console.log('console', m.text()));
  page.on('response', r => r.url().includes(video.host) && console.log(r.status(), r.url().slice(-30)));
  await page.goto(served.url + '/share/share-v');
  for (let i = 0; i < 14; i++) {
    await page.waitForTimeout(1000);
    console.log(await page.evaluate(() => { const v = document.querySelector('video')!; const b = v.buffered; return JSON.stringify([v.currentTime, v.videoWidth, v.paused, v.readyState, b.length ? [b.start(0), b.end(b.length-1), b.length] : [], v.seeking, v.error?.message, document.getElementById('video-note')!.textContent]); }));
  }
  console.log(complaints);
  console.log(socket.received);
  await page.screenshot({ path: '/tmp/s-v.png', timeout: 5000 }).catch(e => console.log(e.message));
  await browser.close(); await served.stop(); await video.stop();
})();
