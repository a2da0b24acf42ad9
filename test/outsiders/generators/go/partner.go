// Package partner is what a partner writes with the generated client: a page of jobs, a new job, and what a refusal says.
package partner

import (
	"context"
	"fmt"
)

// FirstJob returns the name of a pending job, and creates one when there is none.
func FirstJob(ctx context.Context, group string) (string, error) {
	client, err := NewClientWithResponses("http://127.0.0.1:3000")
	if err != nil {
		return "", err
	}
	limit, status := int32(10), JobStatusPENDING
	page, err := client.ListJobsWithResponse(ctx, &ListJobsParams{Limit: &limit, Status: &status})
	if err != nil {
		return "", err
	}
	if page.JSON200 != nil && len(page.JSON200.Jobs) > 0 {
		return page.JSON200.Jobs[0].Name, nil
	}
	created, err := client.CreateJobWithResponse(ctx, nil, CreateJobRequest{Name: "Survey", DeviceGroupId: group})
	if err != nil {
		return "", err
	}
	if created.JSONDefault != nil {
		return "", fmt.Errorf("refused with %s: %s", created.Status(), created.JSONDefault.Error)
	}
	if created.JSON201 == nil {
		return "", fmt.Errorf("not understood: %s", created.Status())
	}
	return created.JSON201.Job.Name, nil
}
