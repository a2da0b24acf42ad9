if (pm.response.code === 201) pm.collectionVariables.set('missionId', pm.response.json().mission.missionId);
