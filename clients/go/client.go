// Package dronemission is a client of the Drone Mission Integration API: jobs, missions, shares, devices and their
// commands, and status channels that are reconnected without a loss.
package dronemission

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const tokenPath = "/v3/auth/token"

// Options say where the service is, and how to call it.
type Options struct {
	// BaseURL is the REST address, https://….
	BaseURL string
	// WSURL is the address of the channels, wss://…; needed to follow something.
	WSURL string
	// MQTTURL is the address of the MQTT broker, mqtts://…; needed to follow something over MQTTS.
	MQTTURL string
	// CAFile is a PEM file with a certificate authority to trust beside those of the system. It is for a client without
	// HTTPClient.
	CAFile string
	// ClientID, ClientSecret and APIKey were issued by the operator of the service.
	ClientID, ClientSecret, APIKey string
	// Token returns an access token and for how long it is valid, in place of secret and key.
	Token func(context.Context) (string, time.Duration, error)
	// HTTPClient sends the requests and opens the channels; http.DefaultClient without it. Its transport says which
	// authorities it trusts.
	HTTPClient *http.Client
	// Timeout of one attempt; 30 seconds without it.
	Timeout time.Duration
	// MaxRetries is the number of further attempts after one that failed: 4 when it is 0, and none when it is below.
	MaxRetries int
	// PingAfter is for how long a channel may be silent before a ping is sent; a minute without it.
	PingAfter time.Duration
}

// A Client calls the API for one partner. All its methods may be used by several goroutines at once.
type Client struct {
	Jobs         *Jobs
	Missions     *Missions
	Shares       *Shares
	Devices      *Devices
	DeviceGroups *DeviceGroups
	Telemetry    *Telemetry
	Events       *Events

	caller *caller
}

// New makes a client; it connects to nothing yet. The error names the option that is missing or wrong.
func New(options Options) (*Client, error) {
	baseURL, err := addressOf("BaseURL", options.BaseURL, "https", "http")
	if err != nil {
		return nil, err
	}
	wsURL, err := channelAddress("WSURL", options.WSURL, "wss", "ws")
	if err != nil {
		return nil, err
	}
	mqttURL, err := channelAddress("MQTTURL", options.MQTTURL, "mqtts")
	if err != nil {
		return nil, err
	}
	httpClient, err := httpClientOf(options)
	if err != nil {
		return nil, err
	}
	sender := &sender{baseURL, httpClient, options.Timeout, options.MaxRetries}
	if sender.timeout == 0 {
		sender.timeout = 30 * time.Second
	}
	if sender.maxRetries == 0 {
		sender.maxRetries = 4
	}
	tokens := &tokenSource{issue: options.Token}
	if options.Token == nil {
		for name, value := range map[string]string{
			"ClientID": options.ClientID, "ClientSecret": options.ClientSecret, "APIKey": options.APIKey,
		} {
			if value == "" {
				return nil, fmt.Errorf("%s is missing: the operator of the service has issued it to you", name)
			}
		}
		tokens.issue = issueFrom(sender, options)
	}
	pingAfter := options.PingAfter
	if pingAfter == 0 {
		pingAfter = time.Minute
	}
	caller := &caller{sender, tokens}
	events := &Events{caller}
	channels := &channels{
		wsURL: wsURL, broker: broker{mqttURL, options.ClientID, trustedBy(httpClient)},
		tokens: tokens, http: httpClient, events: events,
		pingAfter: pingAfter, maxRetries: sender.maxRetries, answerWithin: sender.timeout,
	}
	return &Client{
		Jobs:         &Jobs{caller, channels},
		Missions:     &Missions{caller},
		Shares:       &Shares{caller, channels},
		Devices:      &Devices{caller},
		DeviceGroups: &DeviceGroups{caller, channels},
		Telemetry:    &Telemetry{channels, newPublisher(channels)},
		Events:       events,
		caller:       caller,
	}, nil
}

// FromEnvironment makes a client of BASE_URL, CLIENT_ID, CLIENT_SECRET and API_KEY, and of WS_URL, MQTT_URL and CA_FILE
// if they are set.
func FromEnvironment() (*Client, error) {
	return New(Options{
		BaseURL: os.Getenv("BASE_URL"), WSURL: os.Getenv("WS_URL"), MQTTURL: os.Getenv("MQTT_URL"), CAFile: os.Getenv("CA_FILE"),
		ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"), APIKey: os.Getenv("API_KEY"),
	})
}

// AccessToken returns a token with enough time left, such as the password of an MQTTS connection.
func (c *Client) AccessToken(ctx context.Context) (string, error) {
	token, err := c.caller.tokens.get(ctx)
	return token.text, err
}

// Limits returns every limit of the client with what is left of it; asking uses up nothing.
func (c *Client) Limits(ctx context.Context) (Limits, error) {
	reply, err := call[GetLimitsReply](ctx, c.caller, "GET /v3/limits", nil, nil)
	return reply.Limits, err
}

// addressOf returns an address without a slash at its end.
func addressOf(option, value string, schemes ...string) (string, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || !slices.Contains(schemes, parsed.Scheme) {
		// Without the value: a share link given by mistake has the share code.
		return "", fmt.Errorf("%s must be an address that begins with %s://", option, schemes[0])
	}
	return strings.TrimRight(parsed.Scheme+"://"+parsed.Host+parsed.Path, "/"), nil
}

// channelAddress is empty for a client that does not use such channels.
func channelAddress(option, value string, schemes ...string) (string, error) {
	if value == "" {
		return "", nil
	}
	return addressOf(option, value, schemes...)
}

// issueFrom gets tokens for client credentials (RFC 6749 section 4.4).
func issueFrom(sender *sender, options Options) func(context.Context) (string, time.Duration, error) {
	return func(ctx context.Context) (string, time.Duration, error) {
		body, err := json.Marshal(map[string]string{
			"grant_type": "client_credentials", "client_id": options.ClientID, "client_secret": options.ClientSecret,
		})
		if err != nil {
			return "", 0, err
		}
		header := http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {options.APIKey}}
		answered, err := sender.send(ctx, request{method: http.MethodPost, path: tokenPath, header: header, body: body})
		if err != nil {
			return "", 0, err
		}
		if answered.status != http.StatusOK {
			return "", 0, refusal("POST "+tokenPath, answered.status, answered.header, answered.body)
		}
		var issued Token
		if err := json.Unmarshal(answered.body, &issued); err != nil {
			return "", 0, errors.New("BaseURL is not the address of this API: " + err.Error())
		}
		return issued.AccessToken, time.Duration(issued.ExpiresIn) * time.Second, nil
	}
}

// idleWithin: net/http's own client, too, closes a connection that it has not used for so long.
const idleWithin = 90 * time.Second

// httpClientOf returns the client that the options name, or one that trusts the authority in CAFile too.
func httpClientOf(options Options) (*http.Client, error) {
	switch {
	case options.CAFile == "" && options.HTTPClient == nil:
		return http.DefaultClient, nil
	case options.CAFile == "":
		return options.HTTPClient, nil
	case options.HTTPClient != nil:
		return nil, errors.New("CAFile is for a client without HTTPClient, whose transport says what it trusts")
	}
	authorities, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(options.CAFile)
	if err != nil {
		return nil, fmt.Errorf("CAFile can't be used: %w", err)
	}
	if !authorities.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("CAFile %s can't be used: it must be a PEM file with a certificate", options.CAFile)
	}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: idleWithin, TLSClientConfig: &tls.Config{RootCAs: authorities},
	}}, nil
}

// Must returns the value, or panics with the error, whose text is one line. It is for short programs that an error ends:
//
//	client := dronemission.Must(dronemission.FromEnvironment())
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
