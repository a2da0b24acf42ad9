// Before each request: gets a token when there is none or its end is near. The collection's authorisation reads it afterwards.
const isTokenRequest = pm.request.url.getPath().endsWith('/v3/auth/token');
const isDue = Date.now() >= Number(pm.variables.get('accessTokenEndsAt') || 0);
if (!isTokenRequest && isDue) {
  const credentials = {
    grant_type: 'client_credentials',
    client_id: pm.variables.get('clientId'),
    client_secret: pm.variables.get('clientSecret'),
  };
  const request = {
    url: `${pm.variables.get('baseUrl')}/v3/auth/token`,
    method: 'POST',
    header: { 'content-type': 'application/json', 'x-api-key': pm.variables.get('apiKey') },
    body: { mode: 'raw', raw: JSON.stringify(credentials) },
  };
  pm.sendRequest(request, (error, response) => {
    if (error || response.code !== 200) {
      const reason = error ? error.message : response.text();
      throw new Error(`No access token: check baseUrl, clientId, clientSecret and apiKey (${reason}).`);
    }
    const { access_token: token, expires_in: seconds } = response.json();
    pm.collectionVariables.set('accessToken', token);
    // Before the end, since requests take time.
    pm.collectionVariables.set('accessTokenEndsAt', String(Date.now() + seconds * 900));
  });
}
