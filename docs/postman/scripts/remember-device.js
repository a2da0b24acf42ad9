if (pm.response.code === 200) {
  const group = pm.response.json().resources.find(({ devices }) => devices.length > 0);
  if (group) {
    pm.collectionVariables.set('deviceGroupId', group.deviceGroupId);
    pm.collectionVariables.set('deviceId', group.devices[0].deviceId);
  }
}
