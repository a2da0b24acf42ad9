"""The bus between a platform and the service: a queue of its own for what it receives, and PutEvents."""

import json
import os
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

NotReached = (BotoCoreError, ClientError, ConnectionError)


@dataclass(frozen=True)
class Message:
    """An event of the service, and how to delete it from the queue."""

    kind: str
    detail: dict[str, Any]
    receipt: str


class PlatformBus:
    """Creates the queue, the rule and its target when they are not there."""

    def __init__(self, name: str) -> None:
        self._events, self._sqs = boto3.client("events"), boto3.client("sqs")
        self._arn = os.environ["PLATFORM_BUS_ARN"]
        on_bus = {"EventBusName": self._arn.split("event-bus/")[1]}
        pattern = json.dumps({"source": ["drone-mission-api"]})
        rule = self._events.put_rule(Name=name, EventPattern=pattern, **on_bus)["RuleArn"]
        url = self._sqs.create_queue(QueueName=name)["QueueUrl"]
        arn = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        allowed = {
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": arn,
            "Condition": {"ArnEquals": {"aws:SourceArn": rule}},
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
        attributes = {"Policy": policy, "MessageRetentionPeriod": str(14 * 86400), "VisibilityTimeout": "5"}
        self._sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)
        self._events.put_targets(Rule=name, Targets=[{"Id": name, "Arn": arn}], **on_bus)
        self._queue = {"QueueUrl": url}

    def receive(self, wait: int) -> list[Message]:
        """Takes up to ten messages, and waits for the first one. Each comes again after 5 s unless it is deleted."""
        answer = self._sqs.receive_message(MaxNumberOfMessages=10, WaitTimeSeconds=wait, **self._queue)
        received = [(json.loads(one["Body"]), one["ReceiptHandle"]) for one in answer.get("Messages", [])]
        return [Message(event["detail-type"], event["detail"], receipt) for event, receipt in received]

    def delete(self, message: Message) -> None:
        """Deletes a message that has been dealt with."""
        self._sqs.delete_message(ReceiptHandle=message.receipt, **self._queue)

    def publish(self, kind: str, detail: str) -> None:
        """Publishes one event, and returns when the bus has it."""
        entry = {"Source": "drone-platform", "EventBusName": self._arn, "DetailType": kind, "Detail": detail}
        answer = self._events.put_events(Entries=[entry])
        if answer["FailedEntryCount"]:
            raise ConnectionError(answer["Entries"])
