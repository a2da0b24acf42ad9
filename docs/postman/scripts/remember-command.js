if (pm.response.code === 202) pm.collectionVariables.set('commandId', pm.response.json().command.commandId);
