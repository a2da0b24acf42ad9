package dronemission

import (
	"context"
	"iter"
	"net/url"
)

// Shares are links to the live video or status of one device. A share code gives access: keep it secret.
type Shares struct {
	caller   *caller
	channels *channels
}

// Create shares a device by link.
func (s *Shares) Create(ctx context.Context, share CreateShareRequest, options ...CreateOptions) (CreatedShare, error) {
	reply, err := call[CreateShareReply](ctx, s.caller, "POST /v3/streams/share", nil, share, keyOf(options))
	return reply.Share, err
}

// List returns all active shares of the organisation, newest first.
func (s *Shares) List(ctx context.Context) iter.Seq2[ListedShare, error] {
	return itemsOf(func(next string) ([]ListedShare, *string, error) {
		page, err := s.Page(ctx, 0, next)
		return page.Shares, page.NextToken, err
	})
}

// Page returns one page of shares; limit is up to 100, and 50 when it is 0.
func (s *Shares) Page(ctx context.Context, limit int, nextToken string) (ListSharesReply, error) {
	query := withQuery(queryOf("limit", numberOf(limit), "nextToken", nextToken))
	return call[ListSharesReply](ctx, s.caller, "GET /v3/shares", nil, nil, query)
}

// Get returns an active share.
func (s *Shares) Get(ctx context.Context, shareCode string) (Share, error) {
	reply, err := call[GetShareReply](ctx, s.caller, "GET /v3/shares/{shareCode}", []string{shareCode}, nil)
	return reply.Share, err
}

// Resources returns what stands behind a share: the device with its last known state, and its video.
func (s *Shares) Resources(ctx context.Context, shareCode string) ([]SharedDevice, error) {
	reply, err := call[ListShareResourcesReply](ctx, s.caller, "GET /v3/shares/{shareCode}/resources", []string{shareCode}, nil)
	return reply.Resources, err
}

// Revoke ends a share: its viewers are disconnected at once.
func (s *Shares) Revoke(ctx context.Context, shareCode string) error {
	_, err := s.caller.read(ctx, "DELETE /v3/shares/{shareCode}", []string{shareCode}, nil)
	return err
}

// Follow returns the state of a share, every change of it and of the number of its viewers, until it is REVOKED or EXPIRED.
func (s *Shares) Follow(ctx context.Context, shareCode string, options FollowOptions) iter.Seq2[ShareMessage, error] {
	return follow(ctx, s.channels, channel{
		path:    "/v3/shares/" + url.PathEscape(shareCode) + "/status/ws",
		topic:   &topic{identifier: shareCode, suffix: "/SHARE/STATUS", state: s.exists(shareCode)},
		kind:    "share.status",
		subject: "Following a share",
		isLast:  isEndOfShare,
	}, options, as[ShareMessage])
}

func isEndOfShare(m envelope) bool { return m.ShareState == "REVOKED" || m.ShareState == "EXPIRED" }

// exists returns no message: as long as the share exists, its state is the first one of the topic.
func (s *Shares) exists(shareCode string) func(context.Context, *received) ([]any, error) {
	return func(ctx context.Context, _ *received) ([]any, error) {
		_, err := s.Get(ctx, shareCode)
		return nil, err
	}
}
