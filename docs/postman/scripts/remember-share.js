if (pm.response.code === 201) pm.collectionVariables.set('shareCode', pm.response.json().share.shareCode);
