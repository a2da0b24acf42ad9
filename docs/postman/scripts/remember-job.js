if (pm.response.code === 201) pm.collectionVariables.set('jobId', pm.response.json().job.jobId);
