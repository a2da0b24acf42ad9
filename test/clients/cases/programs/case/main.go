// What every client does alike, in Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	dronemission "drone-mission-api/clients/go"
)

var ctx, after = context.Background(), os.Getenv("AFTER")

func main() {
	client, err := dronemission.New(dronemission.Options{
		BaseURL: os.Getenv("BASE_URL"), WSURL: os.Getenv("WS_URL"),
		ClientID: "client", ClientSecret: "secret", APIKey: "key",
		PingAfter: milliseconds("PING_AFTER_MS"),
	})
	if err != nil {
		log.Fatal(err)
	}
	err = calls[os.Args[1]](client)
	var refused *dronemission.APIError
	var unreachable *dronemission.ConnectionError
	switch {
	case errors.As(err, &refused) && refused.RetryAfter > 0:
		fmt.Printf("refused %d, again after %g s\n", refused.Status, refused.RetryAfter.Seconds())
	case refused != nil:
		fmt.Printf("refused %d\n", refused.Status)
	case errors.As(err, &unreachable) && !unreachable.NotSent:
		fmt.Println("interrupted")
	case err != nil:
		log.Fatal(err)
	}
}

var calls = map[string]func(*dronemission.Client) error{
	"get-job":       getJob,
	"get-job-twice": getJobTwice,
	"create-job": func(c *dronemission.Client) error {
		job, err := c.Jobs.Create(ctx, dronemission.CreateJobRequest{Name: "Survey", DeviceGroupId: "group-1"})
		return tellJob(job.JobId, err)
	},
	"update-job":       func(c *dronemission.Client) error { return update(c, 0) },
	"update-version-3": func(c *dronemission.Client) error { return update(c, 3) },
	"cancel-job": func(c *dronemission.Client) error {
		job, err := c.Jobs.Cancel(ctx, "job-1")
		return tellJob(job.JobId, err)
	},
	"send-command": func(c *dronemission.Client) error {
		sent, err := c.Devices.Command(ctx, "device-1", dronemission.PauseCommand{})
		if err == nil {
			fmt.Println("command", sent.Command.CommandId)
		}
		return err
	},
	"follow-job":    followJob,
	"follow-events": followEvents,
}

func getJob(c *dronemission.Client) error {
	job, err := c.Jobs.Get(ctx, "job-1")
	return tellJob(job.JobId, err)
}

func getJobTwice(c *dronemission.Client) error {
	if err := getJob(c); err != nil {
		return err
	}
	time.Sleep(milliseconds("PAUSE_MS"))
	return getJob(c)
}

func update(c *dronemission.Client, version int) error {
	priority := int32(1)
	job, err := c.Jobs.Update(ctx, "job-1", dronemission.UpdateJobRequest{Priority: &priority}, version)
	return tellJob(job.JobId, err)
}

func followJob(c *dronemission.Client) error {
	options := dronemission.FollowOptions{
		After: after, OnGap: tellGap,
		OnReconnect: func(error) { fmt.Println("lost") },
		OnCommand:   func(m dronemission.CommandMessage) { fmt.Println("command", m.CommandId, m.Status) },
	}
	for message, err := range c.Jobs.Follow(ctx, "job-1", options) {
		if err != nil {
			return err
		}
		replayed := ""
		if message.Replayed {
			replayed = " replayed"
		}
		fmt.Printf("state %s %d%s\n", message.JobState, message.Sequence, replayed)
	}
	fmt.Println("ended")
	return nil
}

func followEvents(c *dronemission.Client) error {
	for event, err := range c.Events.Follow(ctx, dronemission.FollowEventsOptions{After: after, OnGap: tellGap}) {
		if err != nil {
			return err
		}
		told, err := event.AsUnknownEvent()
		if err != nil {
			return err
		}
		fmt.Println("event", told.Type, told.Cursor)
		if job, err := event.AsJobEvent(); err == nil && job.JobState == "CANCELLED" {
			return nil
		}
	}
	return nil
}

func tellJob(jobID string, err error) error {
	if err == nil {
		fmt.Println("job", jobID)
	}
	return err
}

func tellGap(gap dronemission.Gap) {
	if gap.Cursor != "" {
		fmt.Println("gap", gap.Cursor)
		return
	}
	fmt.Printf("gap %s from %d to %d\n", gap.Subject, gap.From, gap.To)
}

func milliseconds(variable string) time.Duration {
	number, _ := strconv.Atoi(os.Getenv(variable))
	return time.Duration(number) * time.Millisecond
}
