package dronemission

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
	"github.com/google/uuid"
)

const (
	// firstWithin is how long the first message may take after the subscription.
	firstWithin = 2 * time.Second
	// shortestToken: the broker refuses tokens that end sooner.
	shortestToken = 5 * time.Minute
	// quiesce is how many milliseconds a session waits until it has said goodbye.
	quiesce = 250

	mqttPort, subscriptionRefused = "8883", 0x80
)

// A broker is where MQTT sessions are opened.
type broker struct {
	// url is mqtts://…; empty when the client does not know it.
	url string
	// clientID is the user name.
	clientID string
	tls      *tls.Config
}

// A topic is a channel over MQTT.
type topic struct {
	// identifier of the job, the device group or the share; what follows it in the topic is the suffix.
	identifier, suffix string
	// state reads by REST what the topic has not sent, as messages of the channel. An APIError with 404 says that the
	// resource does not exist.
	state func(context.Context, *received) ([]any, error)
	// isGroup: it is about several devices, so that one message is not the whole state.
	isGroup bool
}

// A payload is empty when its topic was cleared, and retained when it was published before the subscription.
type payload struct {
	text       []byte
	isRetained bool
}

// message: what was retained is no change, but the state at the time of connecting.
func (p payload) message() envelope {
	if p.isRetained {
		return envelopeOf(marked(p.text, "snapshot"))
	}
	return envelopeOf(p.text)
}

// A session is a connection over MQTTS. It ends with its network connection: the broker keeps no other.
type session struct {
	life
	channels *channels
	topic    *topic
	received *received
	client   mqtt.Client
	box      *inbox[payload]
	// replaceAt is when its token or its time ends.
	replaceAt time.Time
}

func (c *channels) mayUseMQTTS(to channel) error {
	switch {
	case to.topic == nil:
		return errors.New("MQTTS does not carry it: follow it over WSS")
	case c.broker.url == "":
		return errors.New("MQTTURL is missing: the client needs the address of the MQTT broker, mqtts://…")
	case c.broker.clientID == "":
		return errors.New("ClientID is missing: MQTT needs it as the user name, beside the token")
	}
	return nil
}

// openSession begins with the state, or with what was missed since the last cursor: that is read from the event log,
// after the first message.
func (c *channels) openSession(ctx context.Context, to channel, received *received) (connection, error) {
	token, err := c.tokens.get(ctx)
	if err != nil {
		return nil, err
	}
	opened := &session{
		life: newLife(), channels: c, topic: to.topic, received: received, box: newInbox[payload](),
		replaceAt: earlier(token.renewAt, time.Now().Add(replaceAfter)),
	}
	if err := opened.connect(ctx, token); err != nil {
		return nil, c.explained(err, to.subject, token)
	}
	arrived, err := opened.subscribe(ctx, to.subject)
	if err == nil {
		err = opened.begin(ctx, arrived)
	}
	if err != nil {
		opened.client.Disconnect(quiesce)
		return nil, err
	}
	go opened.read()
	return opened, nil
}

// connect returns an error of the package packets when the broker refuses the session.
func (s *session) connect(ctx context.Context, token accessToken) error {
	broker := s.channels.broker
	address, err := url.Parse(broker.url)
	if err != nil {
		return err
	}
	port := address.Port()
	if port == "" {
		port = mqttPort
	}
	dialling, cancel := context.WithTimeout(ctx, s.channels.answerWithin)
	defer cancel()
	dialled, err := (&tls.Dialer{Config: broker.tls}).DialContext(dialling, "tcp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return &ConnectionError{Address: broker.url, NotSent: true, Err: err}
	}
	// Its end ends what waits for the broker's answer.
	stop := context.AfterFunc(ctx, func() { _ = dialled.Close() })
	defer stop()
	// MQTT counts it in whole seconds.
	keepAlive := max(time.Second, s.channels.pingAfter)
	options := mqtt.NewClientOptions().AddBroker(broker.url).
		SetCustomOpenConnectionFn(func(*url.URL, mqtt.ClientOptions) (net.Conn, error) { return dialled, nil }).
		SetProtocolVersion(4).SetCleanSession(true).SetAutoReconnect(false).
		// Another session with the same id would end this one.
		SetClientID(broker.clientID + "-" + uuid.NewString()[:8]).SetUsername(broker.clientID).SetPassword(token.text).
		SetKeepAlive(keepAlive).SetPingTimeout(min(pongWithin, keepAlive)).
		SetConnectTimeout(s.channels.answerWithin).SetWriteTimeout(s.channels.answerWithin).
		SetConnectionLostHandler(func(_ mqtt.Client, err error) { s.box.end(s.lost(err)) })
	s.client = mqtt.NewClient(options)
	connecting := s.client.Connect()
	connecting.Wait()
	if ctx.Err() != nil {
		s.client.Disconnect(quiesce)
		return context.Cause(ctx)
	}
	return connecting.Error()
}

func (s *session) lost(err error) error {
	return &ConnectionError{Address: s.channels.broker.url, Err: err}
}

// explained is the error for a session that could not be opened.
func (c *channels) explained(err error, subject string, token accessToken) error {
	switch {
	case errors.Is(err, packets.ErrorNetworkError) || errors.Is(err, packets.ErrorProtocolViolation):
		return &ConnectionError{Address: c.broker.url, Err: err}
	case errors.Is(err, packets.ErrorRefusedServerUnavailable):
		return &APIError{Request: subject, Text: err.Error(), Code: "server_unavailable"}
	case errors.Is(err, packets.ErrorRefusedNotAuthorised) || errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword) ||
		errors.Is(err, packets.ErrorRefusedIDRejected):
		c.tokens.forget(token.text)
		hint := "check ClientID, and that the token was issued to it by this deployment"
		if time.Until(token.expiresAt) < shortestToken {
			hint = "MQTTS needs a token with five minutes left, and this one has less: use a longer lifetime"
		}
		return &APIError{Request: subject, Text: err.Error(), Code: "unauthorized", Details: []ErrorDetail{{Message: hint}}}
	}
	return err
}

// subscribe returns what is closed with the first message.
func (s *session) subscribe(ctx context.Context, subject string) (<-chan struct{}, error) {
	first := make(chan struct{}, 1)
	name := s.topic.identifier + s.topic.suffix
	subscribing := s.client.Subscribe(name, 1, func(_ mqtt.Client, m mqtt.Message) {
		s.box.add(payload{m.Payload(), m.Retained()})
		select {
		case first <- struct{}{}:
		default:
		}
	})
	late := time.NewTimer(s.channels.answerWithin)
	defer late.Stop()
	select {
	case <-subscribing.Done():
	case <-late.C:
		return nil, s.lost(errors.New("no answer"))
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := subscribing.Error(); err != nil {
		return nil, s.lost(err)
	}
	if answer, ok := subscribing.(*mqtt.SubscribeToken); ok && answer.Result()[name] == subscriptionRefused {
		// The broker does not say why.
		hint := []ErrorDetail{{Message: "the client lacks the scope, or the resource belongs to another organisation"}}
		return nil, &APIError{Request: subject, Text: "the subscription is not allowed", Code: "forbidden", Details: hint}
	}
	return first, nil
}

// begin passes on what the caller lacks. Before the first message changes may be in the log only; after it, each of them comes.
func (s *session) begin(ctx context.Context, first <-chan struct{}) error {
	late := time.NewTimer(firstWithin)
	defer late.Stop()
	select {
	case <-first:
	case <-late.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if after := s.received.settledAfter(); after != "" {
		missed, err := s.channels.events.missed(ctx, s.topic.identifier, after)
		if err == nil {
			s.pass(missed...)
			return nil
		}
		if !isUnknownCursor(err, true) {
			return err
		}
		s.received.startAgain()
	}
	hasState := false
	waiting, _, _ := s.box.take()
	for _, each := range waiting {
		// An empty one is about a resource that is gone: REST tells.
		if len(each.text) > 0 {
			message := each.message()
			hasState = hasState || message.Type != commandStatus
			s.pass(message)
		}
	}
	if hasState && !s.topic.isGroup {
		return nil
	}
	state, err := s.topic.state(ctx, s.received)
	if err != nil {
		return err
	}
	for _, each := range state {
		text, err := json.Marshal(each)
		if err != nil {
			return err
		}
		s.pass(envelopeOf(text))
	}
	return nil
}

func (s *session) pass(messages ...envelope) {
	for _, message := range messages {
		s.confirm()
		s.received.receive(message)
	}
}

// read passes the messages on until the session has ended.
func (s *session) read() {
	defer close(s.closed)
	defer s.client.Disconnect(quiesce)
	s.box.read(func(each payload, err error) bool {
		switch {
		case err != nil:
			s.err = err
		case len(each.text) == 0:
			// The next session finds out whether the caller has received that.
			s.err = s.lost(errors.New("the topic was cleared"))
		default:
			s.pass(each.message())
		}
		return s.err == nil
	})
}

func (s *session) close() {
	s.client.Disconnect(quiesce)
	s.box.end(s.lost(net.ErrClosed))
	<-s.closed
}

// last: unlike a WebSocket, a session can't get a new token.
func (s *session) last(ctx context.Context) error {
	if err := s.until(ctx, s.replaceAt); err != nil {
		return err
	}
	return errDue
}

// trustedBy is how a client's transport checks servers. HTTP sets protocols of its own (ALPN), which a broker refuses.
func trustedBy(client *http.Client) *tls.Config {
	transport, ok := client.Transport.(*http.Transport)
	if !ok || transport.TLSClientConfig == nil {
		return &tls.Config{}
	}
	config := transport.Clone().TLSClientConfig
	config.NextProtos = nil
	return config
}
