package dronemission

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// maxMessage is the largest message of the service.
const maxMessage = 128 * 1024

// serviceMessages are warnings, signs of life and answers without an id, which are no messages about a resource.
var serviceMessages = []string{"heartbeat", "pong", "expiring", "subscribed", "snapshot.end", ""}

// A socket is a connection over WSS.
type socket struct {
	life
	channels *channels
	token    accessToken
	open     *websocket.Conn
	heard    chan struct{}

	mutex  sync.Mutex
	lastID int64
	// asked has who waits for the answer to a message, by its id.
	asked map[int64]chan<- envelope
}

// connect opens a channel with a token that is valid for a while, and passes its messages to received.
func (c *channels) connect(ctx context.Context, to channel, received *received, after string) (*socket, error) {
	token, err := c.tokens.get(ctx)
	if err != nil {
		return nil, err
	}
	address := c.wsURL + to.path
	if after != "" {
		address += "?after=" + url.QueryEscape(after)
	}
	dialling, cancel := context.WithTimeout(ctx, c.answerWithin)
	defer cancel()
	options := &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: http.Header{}}
	// A viewer of a share has none.
	if token.text != "" {
		options.HTTPHeader.Set("Authorization", "Bearer "+token.text)
	}
	open, response, err := websocket.Dial(dialling, address, options)
	if err != nil {
		if response == nil || response.StatusCode == http.StatusSwitchingProtocols {
			return nil, &ConnectionError{Address: c.wsURL, NotSent: true, Err: withoutAddress(err)}
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode == http.StatusUnauthorized {
			c.tokens.forget(token.text)
		}
		return nil, refusal(to.subject, response.StatusCode, response.Header, body)
	}
	open.SetReadLimit(maxMessage)
	opened := &socket{
		life: newLife(), channels: c, token: token, open: open, heard: make(chan struct{}, 1), asked: map[int64]chan<- envelope{},
	}
	startsAgain := after == "" && received.resumeAfter() != ""
	go opened.read(to, received, startsAgain)
	go opened.watch(c.pingAfter)
	if to.greeting != nil {
		if err := opened.say(to.greeting); err != nil {
			opened.close()
			return nil, &ConnectionError{Address: c.wsURL, Err: err}
		}
	}
	if to.opened != nil {
		to.opened(opened)
	}
	return opened, nil
}

func (s *socket) close() {
	// Without a handshake: a peer that is gone must not keep its caller waiting.
	_ = s.open.CloseNow()
	<-s.closed
}

// read passes the messages on until the connection has closed.
func (s *socket) read(to channel, received *received, startsAgain bool) {
	defer close(s.closed)
	for {
		_, text, err := s.open.Read(context.Background())
		if err != nil {
			s.err = s.lost(err)
			return
		}
		select {
		case s.heard <- struct{}{}:
		default:
		}
		message := envelopeOf(text)
		switch {
		case message.ID != nil:
			s.answer(message)
		case message.Type == "error":
			s.err = message.refusal(to.subject)
			_ = s.open.CloseNow()
			return
		case slices.Contains(serviceMessages, message.Type):
		case message.Type == "gap":
			startsAgain = true
		default:
			s.confirm()
			if message.Type == "resumed" {
				continue
			}
			if startsAgain {
				received.startAgain()
				startsAgain = false
			}
			for _, each := range message.single() {
				received.receive(each)
			}
		}
	}
}

// watch closes a connection that is open but dead: a lost network, a laptop that slept. The service sends a heartbeat
// only every four minutes; a ping is answered at once.
func (s *socket) watch(pingAfter time.Duration) {
	timer := time.NewTimer(pingAfter)
	defer timer.Stop()
	isAsked := false
	for {
		select {
		case <-s.closed:
			return
		case <-s.heard:
			isAsked = false
			timer.Reset(pingAfter)
		case <-timer.C:
			if isAsked {
				_ = s.open.CloseNow()
				return
			}
			isAsked = true
			timer.Reset(min(pongWithin, pingAfter))
			_ = s.say(map[string]string{"action": "ping"})
		}
	}
}

func (s *socket) say(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pongWithin)
	defer cancel()
	return s.open.Write(ctx, websocket.MessageText, text)
}

// ask sends a message, once, and waits for its answer, which may be that the service refuses it. The message gets an id.
func (s *socket) ask(ctx context.Context, message map[string]any) (envelope, error) {
	answered := make(chan envelope, 1)
	s.mutex.Lock()
	s.lastID++
	id := s.lastID
	s.asked[id] = answered
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.asked, id)
	}()
	message["id"] = id
	if err := s.say(message); err != nil {
		return envelope{}, s.lost(err)
	}
	late := time.NewTimer(s.channels.answerWithin)
	defer late.Stop()
	select {
	case answer := <-answered:
		return answer, nil
	case <-s.closed:
		select {
		case answer := <-answered:
			return answer, nil
		default:
			return envelope{}, s.lost(s.err)
		}
	case <-late.C:
		return envelope{}, s.lost(errors.New("no answer"))
	case <-ctx.Done():
		return envelope{}, context.Cause(ctx)
	}
}

// answer gives an answer to who has asked, unless it has given up.
func (s *socket) answer(message envelope) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if waiting := s.asked[*message.ID]; waiting != nil {
		waiting <- message
		delete(s.asked, *message.ID)
	}
}

func (s *socket) lost(err error) error {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return lost
	}
	return &ConnectionError{Address: s.channels.wsURL, Err: err}
}

// last goes on with new tokens as long as the service takes them.
func (s *socket) last(ctx context.Context) error {
	replaceAt := time.Now().Add(replaceAfter)
	token := s.token
	for {
		if err := s.until(ctx, earlier(token.renewAt, replaceAt)); err != nil {
			return err
		}
		next, err := s.channels.tokens.get(ctx)
		isReplaced := !time.Now().Before(replaceAt) || err != nil
		if isReplaced || next.text != token.text && !s.renew(ctx, next) || !time.Now().Before(next.renewAt) {
			return errDue
		}
		token = next
	}
}

// renew says whether the connection goes on with a new token.
func (s *socket) renew(ctx context.Context, token accessToken) bool {
	answer, err := s.ask(ctx, map[string]any{"action": "authenticate", "token": token.text})
	if answer.Code == "unauthorized" {
		s.channels.tokens.forget(token.text)
	}
	return err == nil && answer.Type == "authenticated" && !answer.SubscriptionsEnded
}
