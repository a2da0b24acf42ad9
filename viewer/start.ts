/**
 * Says in the page why it could not start: a file that did not load, or an error while main.ts runs. It is a file of its own and
 * imports nothing, so that nothing stops it. The sentences are in index.html; this adds the cause: the path of the file, or the
 * error. main.ts removes the element as soon as the page works.
 */
function tell(reason: string): void {
  const failure = document.getElementById('failure');
  if (!failure || 'failed' in document.body.dataset) return;
  document.body.dataset['failed'] = '';
  const line = document.createElement('p');
  line.textContent = reason;
  failure.append(line);
}

addEventListener('unhandledrejection', ({ reason }) => tell(String(reason)));
addEventListener(
  'error',
  (event) => {
    if (event.target instanceof HTMLScriptElement) tell(new URL(event.target.src).pathname);
    else if (event instanceof ErrorEvent) tell(event.message);
  },
  // What does not load tells only its own element.
  { capture: true },
);
