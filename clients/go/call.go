package dronemission

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// A caller calls endpoints with a token.
type caller struct {
	sender *sender
	tokens *tokenSource
}

// An option changes a request before it is sent.
type option func(*request)

func withHeader(name, value string) option { return func(r *request) { r.header.Set(name, value) } }

func withQuery(query url.Values) option { return func(r *request) { r.query = query } }

// withKey makes a create that is repeated create once. A key of the caller's own, if it has one, also does so over a
// restart of its program.
func withKey(key string) option {
	if key == "" {
		key = uuid.NewString()
	}
	return withHeader("Idempotency-Key", key)
}

// withBody sends a file as it is.
func withBody(content []byte, mediaType string) option {
	return func(r *request) {
		r.body = content
		r.header.Set("Content-Type", mediaType)
	}
}

// call calls an endpoint, named by method and path, and reads its reply. The identifiers take the places of the braces
// in its path, in order; body is sent as JSON unless it is nil.
func call[Reply any](ctx context.Context, c *caller, endpoint string, identifiers []string, body any, options ...option) (Reply, error) {
	var reply Reply
	content, err := c.read(ctx, endpoint, identifiers, body, options...)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(content, &reply); err != nil {
		return reply, fmt.Errorf("%s: the reply is not understood: %w", endpoint, err)
	}
	return reply, nil
}

// read returns the body of a success. A token that is refused is replaced once.
func (c *caller) read(ctx context.Context, endpoint string, identifiers []string, body any, options ...option) ([]byte, error) {
	r, err := requestOf(endpoint, identifiers, body)
	if err != nil {
		return nil, err
	}
	for _, change := range options {
		change(&r)
	}
	for isRepeat := false; ; isRepeat = true {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return nil, err
		}
		r.header.Set("Authorization", "Bearer "+token.text)
		answered, err := c.sender.send(ctx, r)
		if err != nil {
			return nil, err
		}
		switch {
		case answered.status < http.StatusMultipleChoices:
			return answered.body, nil
		case answered.status == http.StatusUnauthorized && !isRepeat:
			c.tokens.forget(token.text)
		default:
			return nil, refusal(endpoint, answered.status, answered.header, answered.body)
		}
	}
}

func requestOf(endpoint string, identifiers []string, body any) (request, error) {
	method, path, _ := strings.Cut(endpoint, " ")
	parts := strings.Split(path, "/")
	for index, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		// Without it another endpoint would be called.
		if identifiers[0] == "" {
			return request{}, fmt.Errorf("%s: the identifier is empty", endpoint)
		}
		parts[index], identifiers = url.PathEscape(identifiers[0]), identifiers[1:]
	}
	r := request{method: method, path: strings.Join(parts, "/"), header: http.Header{}}
	if body == nil {
		return r, nil
	}
	content, err := json.Marshal(body)
	r.body = content
	r.header.Set("Content-Type", "application/json")
	return r, err
}

// itemsOf are the items of a list, page after page. A page is read when its first item is needed; an error is the last
// thing that comes.
func itemsOf[Item any](read func(nextToken string) ([]Item, *string, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for next := ""; ; {
			items, following, err := read(next)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if following == nil {
				return
			}
			next = *following
		}
	}
}

// queryOf has those parameters that are not empty.
func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for index := 0; index < len(pairs); index += 2 {
		if pairs[index+1] != "" {
			query.Set(pairs[index], pairs[index+1])
		}
	}
	return query
}
